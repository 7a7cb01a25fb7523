public import SensorModel
import Synchronization

/// Limits the work that holes between a device's frames make, over all its connections and loops.
///
/// The pipeline passes the time between two frames second by second. So a few bytes with hours
/// between them cost as much as a recording of hours, and all other devices wait for it. A backlog
/// of positions a minute apart is read a few seconds later; nothing is refused (decision 0058).
public final class HolePace: Sendable {
    /// Seconds passed in a row, and regained each second: some 0.2 s of the pipeline, and a sixth of
    /// its time at 8 µs each.
    static let ticksMax = 20_000.0
    static let ticksPerSecond = 20_000.0

    private struct State {
        var ticks = ticksMax
        var arrival = Timestamp(microseconds: .min)
    }

    private let state = Mutex(State())

    /// - Parameter arrival: The daemon's clock; one that was set back regains nothing.
    /// - Returns: Whether the next hole may be passed.
    func hasRoom(at arrival: Timestamp) -> Bool {
        state.withLock { state in
            let passed = max(0, arrival.seconds(since: state.arrival))
            state.arrival = arrival
            state.ticks = min(Self.ticksMax, state.ticks + Self.ticksPerSecond * passed)
            return state.ticks > 0
        }
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
    func take(_ ticks: Double) {
        state.withLock { $0.ticks -= ticks }
    }
}
