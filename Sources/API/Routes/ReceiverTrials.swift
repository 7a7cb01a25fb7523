import SensorModel
import Synchronization

/// Limits how often receivers are tried: an owner must not make the daemon flood another's server,
/// nor hold its threads with names that do not resolve.
final class ReceiverTrials: Sendable {
    private struct State {
        var newest: [DeviceID: Timestamp] = [:]
        var running = 0
    }

    static let seconds = 10.0
    static let runningMax = 4
    private let state = Mutex(State())

    /// - Returns: Seconds to wait; `nil`: the test is counted, and ``ended()`` follows.
    func secondsToWait(for device: DeviceID, at now: Timestamp) -> Int? {
        state.withLock { state in
            state.newest = state.newest.filter { now.seconds(since: $0.value) < Self.seconds }
            if let last = state.newest[device] {
                return Int((Self.seconds - now.seconds(since: last)).rounded(.up))
            }
            guard state.running < Self.runningMax else { return 1 }
            state.running += 1
            state.newest[device] = now
            return nil
        }
    }

    func ended() { state.withLock { $0.running -= 1 } }
}
