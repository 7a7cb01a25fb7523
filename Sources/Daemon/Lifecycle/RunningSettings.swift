import Runtime
import Synchronization

/// The configuration with all reloads since the start.
final class RunningSettings: Sendable {
    private let state: Mutex<Configuration>

    init(_ configuration: Configuration) {
        state = Mutex(configuration)
    }

    func withLock<Result: Sendable>(_ body: (inout Configuration) -> Result) -> Result {
        state.withLock { body(&$0) }
    }
}
