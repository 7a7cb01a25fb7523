import Synchronization

/// Last acknowledged frame, shared by the sending and the receiving half.
final class Acknowledged: Sendable {
    private let state = Mutex<UInt32?>(nil)

    var sequence: UInt32 { state.withLock { $0 ?? 0 } }

    func welcomed(at sequence: UInt32) { state.withLock { $0 = sequence } }

    func move(to sequence: UInt32) { state.withLock { $0 = max($0 ?? 0, sequence) } }

    func welcome() async throws -> UInt32 {
        while true {
            if let sequence = state.withLock({ $0 }) { return sequence }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
