import Synchronization

/// What keeps the daemon from being ready, in words for its operator.
public final class Health: Sendable {
    private struct State {
        var isStarted = false
        var isStopping = false
        var logTrouble: String?
    }

    private let state = Mutex(State())

    var troubles: [String] {
        state.withLock { state in
            var troubles: [String] = []
            if !state.isStarted { troubles.append("starting: the log is being recovered") }
            if state.isStopping { troubles.append("stopping") }
            if let trouble = state.logTrouble { troubles.append(trouble) }
            return troubles
        }
    }

    func started() { state.withLock { $0.isStarted = true } }

    func stopping() { state.withLock { $0.isStopping = true } }

    /// - Parameter trouble: `nil`: the log is written again.
    func log(_ trouble: String?) { state.withLock { $0.logTrouble = trouble } }
}
