import Synchronization

/// Counts the bytes that a device's connections sent before they closed, and that still wait for
/// space in the ring or for the device's ``HolePace``; over all loops.
///
/// A closed connection has no place in the table of connections. Without a bound, a device that
/// connects, sends what must wait, and leaves could fill the memory.
final class LeftBytes: Sendable {
    /// Bytes of one device.
    static let ownMax = 256 << 10
    /// Counted for each connection beside its data.
    static let ofConnection = 4 << 10

    /// The count of all devices.
    final class Shared: Sendable {
        fileprivate let bytes = Atomic(0)
    }

    private let bytes = Atomic(0)
    private let shared: Shared

    init(among shared: Shared = Shared()) {
        self.shared = shared
    }

    /// - Returns: `false` if a bound would be exceeded; nothing is counted then.
    func take(_ count: Int) -> Bool {
        guard bytes.wrappingAdd(count, ordering: .relaxed).newValue <= Self.ownMax else {
            bytes.wrappingSubtract(count, ordering: .relaxed)
            return false
        }
        let all = shared.bytes.wrappingAdd(count, ordering: .relaxed).newValue
        guard all <= ByteAllowance.leftMax else {
            release(count)
            return false
        }
        return true
    }

    func release(_ count: Int) {
        bytes.wrappingSubtract(count, ordering: .relaxed)
        shared.bytes.wrappingSubtract(count, ordering: .relaxed)
    }
}
