import Synchronization

/// Reasons for which the daemon is not ready, in words for its operator.
public final class Health: Sendable {
    private struct State {
        var isStarted = false
        var isStopping = false
        var logTrouble: String?
    }

    private let state = Mutex(State())

    package init() {}

    package var troubles: [String] {
        state.withLock { state in
            var troubles: [String] = []
            if !state.isStarted { troubles.append("starting: the log is being recovered") }
            if state.isStopping { troubles.append("stopping") }
            if let trouble = state.logTrouble { troubles.append(trouble) }
            return troubles
        }
    }

    package func started() { state.withLock { $0.isStarted = true } }

    package func stopping() { state.withLock { $0.isStopping = true } }

    /// - Parameter trouble: Problem of the log; `nil`: the log works again.
    package func log(_ trouble: String?) { state.withLock { $0.logTrouble = trouble } }
}
