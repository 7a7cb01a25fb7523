public import SensorModel
import Synchronization

/// Limits the work that holes between a device's frames make, over all its connections and loops.
///
/// The pipeline passes the time between two frames second by second. So a few bytes with hours
/// between them cost as much as a recording of hours, and all other devices wait for it. A backlog
/// of positions a minute apart is read a few seconds later; nothing is refused (decision 0058).
///
/// The holes of all devices together have a pace, too. Those of a few seconds do not wait for it, so
/// that devices which make long ones do not stop the others. The first frame of a connection does not
/// count for it: after a restart all devices come at once.
public final class HolePace: Sendable {
    /// Seconds passed in a row, and regained each second: some 0.2 s of the pipeline, and a sixth of
    /// its time at 8 µs each.
    static let ticksMax = 20_000.0
    static let ticksPerSecond = 20_000.0
    /// The same of all devices: at most a third of its time, where each second's metrics are recorded.
    static let allPerSecond = 100_000.0
    /// Cheaper holes do not wait for others': 10 s.
    static let ownTicksMax = 30.0

    private struct State {
        var ticks = ticksMax
        var arrival = Timestamp(microseconds: .min)
    }

    private let state = Mutex(State())
    private let perSecond: Double
    /// The pace of all devices; `nil`: this is it.
    private let all: HolePace?

    init(among all: HolePace?) {
        self.all = all
        perSecond = all == nil ? Self.allPerSecond : Self.ticksPerSecond
    }

    /// - Parameters:
    ///   - ticks: Cost of the next hole for the pace of all.
    ///   - arrival: The daemon's clock; one that was set back regains nothing.
    /// - Returns: Whether the hole may be passed.
    func hasRoom(for ticks: Double, at arrival: Timestamp) -> Bool {
        let hasRoom = state.withLock { state in
            let passed = max(0, arrival.seconds(since: state.arrival))
            state.arrival = arrival
            state.ticks = min(Self.ticksMax, state.ticks + perSecond * passed)
            return state.ticks > 0
        }
        return hasRoom
            && (ticks <= Self.ownTicksMax || all?.hasRoom(for: ticks, at: arrival) ?? true)
    }

    /// - Parameter times: Device times of frames, in order.
    /// - Returns: Seconds that the holes between them take at this pace.
    public static func seconds(of times: some Sequence<Timestamp>) -> Double {
        var last: Timestamp?
        var ticks = 0.0
        for time in times {
            if let last { ticks += FrameHoles.ticks(from: last, to: time) }
            last = time
        }
        return ticks / ticksPerSecond
    }

    /// Takes what a hole costs, which may be more than there is.
    ///
    /// - Parameters:
    ///   - ticks: Cost for the device.
    ///   - shared: Cost for the pace of all.
    func take(_ ticks: Double, shared: Double) {
        state.withLock { $0.ticks -= ticks }
        all?.take(shared, shared: 0)
    }
}
