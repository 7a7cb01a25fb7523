import Synchronization

/// Last acknowledged frame, shared by the sending and the receiving half.
final class Acknowledged: Sendable {
    private let state = Mutex<UInt32?>(nil)

    var sequence: UInt32 { state.withLock { $0 ?? 0 } }

    func welcomed(at sequence: UInt32) { state.withLock { $0 = sequence } }

    func move(to sequence: UInt32) { state.withLock { $0 = max($0 ?? 0, sequence) } }

    var isWelcomed: Bool { state.withLock { $0 != nil } }

    /// - Returns: The frame that the daemon has; `nil`: no welcome came in time.
    func welcome(until end: ContinuousClock.Instant) async throws -> UInt32? {
        while ContinuousClock().now < end {
            if let sequence = state.withLock({ $0 }) { return sequence }
            try await Task.sleep(for: .milliseconds(2))
        }
        return nil
    }
}
