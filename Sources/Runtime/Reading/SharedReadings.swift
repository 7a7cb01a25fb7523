import SensorModel
import Sharing
import Synchronization

/// Reads in progress that find out what shares show. A caller that needs the same read waits for
/// it, because hundreds of viewers return at once after a restart. Any thread.
final class SharedReadings: Sendable {
    struct Key: Hashable {
        let session: SessionID
        let isOfEnd: Bool
        let rule: ProjectionRule
    }

    private struct Running {
        let number: Int
        let task: Task<Void, any Error>
        var waiting = 1
    }

    private struct State {
        var running: [Key: Running] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - key: Identity of the read.
    ///   - read: The read; called if none is in progress, and cancelled when all its waiters are.
    /// - Throws: Errors of the read, for every waiter.
    func once(_ key: Key, _ read: @escaping @Sendable () async throws -> Void) async throws {
        let (number, task) = state.withLock { state in
            if let known = state.running[key] {
                state.running[key]?.waiting += 1
                return (known.number, known.task)
            }
            state.count += 1
            let number = state.count
            let task = Task {
                defer { remove(key, number) }
                try await read()
            }
            state.running[key] = Running(number: number, task: task)
            return (number, task)
        }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            leave(key, number)
        }
    }

    private func leave(_ key: Key, _ number: Int) {
        let unwanted = state.withLock { state -> Task<Void, any Error>? in
            guard let known = state.running[key], known.number == number else { return nil }
            state.running[key]?.waiting -= 1
            guard known.waiting == 1 else { return nil }
            // A newcomer must not wait for a read that is about to end.
            return state.running.removeValue(forKey: key)?.task
        }
        unwanted?.cancel()
    }

    private func remove(_ key: Key, _ number: Int) {
        state.withLock { state in
            if state.running[key]?.number == number { state.running[key] = nil }
        }
    }
}
