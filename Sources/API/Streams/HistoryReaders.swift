import SensorModel
import Synchronization

/// Admits readers of heart-rate histories as event streams.
///
/// Each change sends the whole history again, so each reader keeps its readings and their encoding.
/// Without a bound one link took 0.6 MiB a reader, and the processor for a megabyte a second.
package final class HistoryReaders: Sendable {
    /// All readers together.
    package static let countMax = 32
    /// Readers of one link.
    static let linkCountMax = 8
    /// Maximum number of readings in such a stream; a request without a stream may ask for more.
    static let readingsMax = 1000
    /// Memory of one reader: readings, their encoding and its copy for the socket.
    package static let bytesEach = 160 << 10

    private let counts = Mutex<[ShareKey: Int]>([:])

    package init() {}

    func hasRoom(for link: ShareKey) -> Bool {
        counts.withLock { Self.hasRoom(for: link, $0) }
    }

    private static func hasRoom(for link: ShareKey, _ counts: [ShareKey: Int]) -> Bool {
        counts[link] ?? 0 < linkCountMax && counts.values.reduce(0, +) < countMax
    }

    /// Counts a reader while it reads.
    ///
    /// - Returns: Whether there was room.
    /// - Throws: Errors of `work`.
    @discardableResult
    func whileCounted(
        _ link: ShareKey, _ work: () async throws -> Void
    ) async rethrows -> Bool {
        let isAdmitted = counts.withLock { counts in
            guard Self.hasRoom(for: link, counts) else { return false }
            counts[link, default: 0] += 1
            return true
        }
        guard isAdmitted else { return false }
        defer {
            counts.withLock { counts in
                let left = (counts[link] ?? 1) - 1
                counts[link] = left > 0 ? left : nil
            }
        }
        try await work()
        return true
    }
}
