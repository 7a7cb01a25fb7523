public import SensorModel
import Synchronization

/// A rate limit on the pipeline's work for a device's holes in time, buttons and notes, over all
/// its connections and loops.
///
/// The pipeline passes the time between two frames second by second. So a few bytes with hours
/// between them cost as much as a recording of hours, and delay all other devices. A backlog of
/// positions a minute apart is read a few seconds later; nothing is refused (decision 0058).
///
/// All devices together have a shared limit, too. Each device also has a reserve, so that a watch
/// that was away for a minute need not wait when others have used up the shared limit. Holes of a
/// few seconds, and the first frame of a connection, do not count against the shared limit: after
/// a restart all devices connect at once.
public final class HolePace: Sendable {
    /// The room that a connection waits for.
    struct Need: Error {
        let pace: HolePace
        let ticks: Double

        /// - Parameter arrival: The daemon's clock; one that was set back regains nothing.
        /// - Returns: Whether there is room now.
        func isMet(at arrival: Timestamp) -> Bool { pace.hasRoom(for: ticks, at: arrival) }
    }

    /// A token bucket; a tick pays for one second passed by the pipeline, without recorded metrics.
    struct Bucket: Sendable {
        let ticksMax: Double
        let perSecond: Double
        private var ticks: Double
        private var arrival = Timestamp(microseconds: .min)

        init(ticksMax: Double, perSecond: Double) {
            (self.ticksMax, self.perSecond, ticks) = (ticksMax, perSecond, ticksMax)
        }

        /// - Parameter arrival: The daemon's clock; one that was set back regains nothing.
        /// - Returns: Whether any ticks are left.
        mutating func hasRoom(at arrival: Timestamp) -> Bool {
            let passed = max(0, arrival.seconds(since: self.arrival))
            self.arrival = arrival
            ticks = min(ticksMax, ticks + perSecond * passed)
            return hasRoom
        }

        var hasRoom: Bool { ticks > 0 }

        /// Charges a cost, which may exceed the ticks that are left.
        mutating func take(_ cost: Double) { ticks -= cost }
    }

    /// A device's bucket: some 0.2 s of the pipeline, then a sixth of its time, at 8 µs a tick.
    static let own = Bucket(ticksMax: ticksMax, perSecond: ticksPerSecond)
    static let ticksMax = 20_000.0
    static let ticksPerSecond = 20_000.0
    /// What a device may use of it in one go: up to 24 ms of the pipeline, more than a day's hole
    /// takes. Then others have most of the time.
    static let burst = Bucket(ticksMax: burstTicksMax, perSecond: 50_000)
    static let burstTicksMax = 3000.0
    /// The bucket of all devices: at most a third of the pipeline's time, if each second's metrics
    /// are recorded.
    static let all = Bucket(ticksMax: 20_000, perSecond: 100_000)
    /// A device's reserve: eleven holes of a minute, then one in a third of a second.
    static let reserve = Bucket(ticksMax: 2000, perSecond: 500)
    /// Holes of up to this cost, 10 s, are not charged to the shared bucket.
    static let sharedTicksMin = 30.0

    private struct State {
        var own = HolePace.own
        var burst = HolePace.burst
        var reserve = HolePace.reserve
    }

    /// The bucket that all devices share.
    final class Shared: Sendable {
        fileprivate let bucket = Mutex(HolePace.all)
    }

    private let state = Mutex(State())
    private let shared: Shared

    init(among shared: Shared = Shared()) {
        self.shared = shared
    }

    /// - Parameters:
    ///   - ticks: Cost of the next hole for the shared bucket.
    ///   - arrival: The daemon's clock; one that was set back regains nothing.
    /// - Returns: Whether the hole may be passed.
    func hasRoom(for ticks: Double, at arrival: Timestamp) -> Bool {
        let (own, reserve) = state.withLock {
            let (own, burst) = ($0.own.hasRoom(at: arrival), $0.burst.hasRoom(at: arrival))
            return (own && burst, $0.reserve.hasRoom(at: arrival))
        }
        guard own else { return false }
        return ticks <= Self.sharedTicksMin || reserve
            || shared.bucket.withLock { $0.hasRoom(at: arrival) }
    }

    /// - Parameters:
    ///   - ticks: Cost of the next hole for the shared bucket.
    ///   - arrival: The daemon's clock; one that was set back regains nothing.
    /// - Throws: What the hole must wait for.
    func checkRoom(for ticks: Double, at arrival: Timestamp) throws(Need) {
        guard hasRoom(for: ticks, at: arrival) else { throw Need(pace: self, ticks: ticks) }
    }

    /// Charges the cost of a hole, which may exceed the ticks that are left.
    ///
    /// - Parameters:
    ///   - ticks: Cost for the device's own bucket.
    ///   - cost: Cost for its reserve, or else for the shared bucket.
    func take(_ ticks: Double, shared cost: Double) {
        let isReserved = state.withLock { state in
            state.own.take(ticks)
            state.burst.take(ticks)
            if cost <= Self.sharedTicksMin { return true }
            guard state.reserve.hasRoom else { return false }
            state.reserve.take(cost)
            return true
        }
        if !isReserved { shared.bucket.withLock { $0.take(cost) } }
    }

    /// - Parameter frames: Frames in order of time.
    /// - Returns: Seconds that the frames take at a device's pace.
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
