public import SensorModel
import Synchronization

/// Limits the work that holes between a device's frames make, and its buttons and notes, over all its
/// connections and loops.
///
/// The pipeline passes the time between two frames second by second. So a few bytes with hours
/// between them cost as much as a recording of hours, and all other devices wait for it. A backlog
/// of positions a minute apart is read a few seconds later; nothing is refused (decision 0058).
///
/// The holes of all devices together have a pace, too. A device has some of its own beside it, so that
/// others who use it up do not stop a watch that was away for a minute. Holes of a few seconds, and the
/// first frame of a connection, do not count: after a restart all devices come at once.
public final class HolePace: Sendable {
    /// Seconds passed in a row, and regained each second.
    struct Bucket: Sendable {
        let ticksMax: Double
        let perSecond: Double
        private var ticks: Double
        private var arrival = Timestamp(microseconds: .min)

        init(ticksMax: Double, perSecond: Double) {
            (self.ticksMax, self.perSecond, ticks) = (ticksMax, perSecond, ticksMax)
        }

        /// - Parameter arrival: The daemon's clock; one that was set back regains nothing.
        /// - Returns: Whether something is left.
        mutating func hasRoom(at arrival: Timestamp) -> Bool {
            let passed = max(0, arrival.seconds(since: self.arrival))
            self.arrival = arrival
            ticks = min(ticksMax, ticks + perSecond * passed)
            return hasRoom
        }

        var hasRoom: Bool { ticks > 0 }

        /// Takes what a hole costs, which may be more than there is.
        mutating func take(_ cost: Double) { ticks -= cost }
    }

    /// Of a device: some 0.2 s of the pipeline, and a sixth of its time at 8 µs each.
    static let own = Bucket(ticksMax: ticksMax, perSecond: ticksPerSecond)
    static let ticksMax = 20_000.0
    static let ticksPerSecond = 20_000.0
    /// Of all: at most a third of its time, where each second's metrics are recorded.
    static let all = Bucket(ticksMax: 20_000, perSecond: 100_000)
    /// What a device has beside that of all: eleven holes of a minute, then one in a third of a second.
    static let reserve = Bucket(ticksMax: 2000, perSecond: 500)
    /// Cheaper holes do not count for all: 10 s.
    static let sharedTicksMin = 30.0

    private struct State {
        var own = HolePace.own
        var reserve = HolePace.reserve
    }

    /// The pace of all devices.
    final class Shared: Sendable {
        fileprivate let bucket = Mutex(HolePace.all)
    }

    private let state = Mutex(State())
    private let shared: Shared

    init(among shared: Shared = Shared()) {
        self.shared = shared
    }

    /// - Parameters:
    ///   - ticks: Cost of the next hole for all.
    ///   - arrival: The daemon's clock; one that was set back regains nothing.
    /// - Returns: Whether the hole may be passed.
    func hasRoom(for ticks: Double, at arrival: Timestamp) -> Bool {
        let (own, reserve) = state.withLock {
            ($0.own.hasRoom(at: arrival), $0.reserve.hasRoom(at: arrival))
        }
        guard own else { return false }
        return ticks <= Self.sharedTicksMin || reserve
            || shared.bucket.withLock { $0.hasRoom(at: arrival) }
    }

    /// Takes what a hole costs, which may be more than there is.
    ///
    /// - Parameters:
    ///   - ticks: Cost for the device.
    ///   - cost: Cost for all.
    func take(_ ticks: Double, shared cost: Double) {
        let isReserved = state.withLock { state in
            state.own.take(ticks)
            if cost <= Self.sharedTicksMin { return true }
            guard state.reserve.hasRoom else { return false }
            state.reserve.take(cost)
            return true
        }
        if !isReserved { shared.bucket.withLock { $0.take(cost) } }
    }

    /// - Parameter frames: In order of time.
    /// - Returns: Seconds that they take at this pace.
    public static func seconds(of frames: some Sequence<Frame>) -> Double {
        var last: Timestamp?
        var ticks = 0.0
        for frame in frames {
            if let last { ticks += FrameHoles.ticks(from: last, to: frame.deviceTime) }
            last = frame.deviceTime
            ticks += FrameHoles.ticks(of: frame.payload)
        }
        return ticks / ticksPerSecond
    }
}
