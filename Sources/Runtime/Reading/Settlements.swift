import SensorModel
import Sharing
import Synchronization

/// The readings under way that find out what shares show. Whoever needs one that is under way waits
/// for it: hundreds of viewers come back at once after a restart. Any thread.
final class Settlements: Sendable {
    struct Key: Hashable {
        let session: SessionID
        let isOfEnd: Bool
        let rule: ProjectionRule
    }

    private let running = Mutex<[Key: Task<Void, any Error>]>([:])

    /// - Parameters:
    ///   - key: What is found out.
    ///   - read: The reading; called if there is none under way. A caller that is cancelled leaves it
    ///     to the others.
    /// - Throws: The errors of the reading, for all who wait.
    func once(_ key: Key, _ read: @escaping @Sendable () async throws -> Void) async throws {
        let task = running.withLock { running in
            if let known = running[key] { return known }
            let made = Task {
                defer { self.running.withLock { $0[key] = nil } }
                try await read()
            }
            running[key] = made
            return made
        }
        try await task.value
    }
}
