public import SensorModel

/// The time by which retention measures age.
///
/// A wall clock that is ahead makes every record look old. So this time moves towards the wall
/// clock by at most ``rate`` times the time that passes while the daemon runs. It is stored in the
/// log's folder. The time for which a clock is wrong thus limits how much it deletes too early.
struct RetentionClock: Hashable, Sendable {
    /// An hour counts as a day at most. A machine that runs for seven hours a week still catches up
    /// with each week.
    static let rate: Int64 = 24
    /// A wall clock that is further ahead is reported: longer than a machine is off overnight.
    static let reportedSeconds = 86_400.0

    /// The time used by retention. It moves back at no more than ``rate`` either: a machine without
    /// a battery starts in 1970, and the way back from there would take years.
    private(set) var believed: Timestamp
    /// Monotonic time of ``believed``, µs.
    private var monotonic: UInt64
    private var isReported = false

    /// - Parameters:
    ///   - known: The time before the start.
    ///   - monotonic: Monotonic time, µs.
    init(known: Timestamp, monotonic: UInt64) {
        believed = known
        self.monotonic = monotonic
    }

    mutating func advance(wall: Timestamp, monotonic now: UInt64) -> RetentionTime {
        let passed = min(now > monotonic ? now - monotonic : 0, UInt64(Int64.max / Self.rate))
        monotonic = max(monotonic, now)
        let step = Int64(passed) * Self.rate
        let (distance, isTooFar) = wall.microseconds.subtractingReportingOverflow(
            believed.microseconds)
        let way = isTooFar ? (wall > believed ? .max : -.max) : distance
        believed = believed.advanced(byMicroseconds: min(max(way, -step), step))
        let time = min(believed, wall)
        let ahead = wall.seconds(since: time)
        let wasReported = isReported
        isReported = isReported ? ahead > 0 : ahead > Self.reportedSeconds
        return RetentionTime(
            time: time, secondsAhead: ahead, hasChanged: isReported != wasReported)
    }
}

/// The time by which retention measures age at one moment.
public struct RetentionTime: Hashable, Sendable {
    /// Never later than the wall clock.
    public var time: Timestamp
    /// How far the wall clock is ahead of ``time``; 0: retention goes by the wall clock.
    public var secondsAhead: Double
    /// Whether the wall clock has just become more than a day ahead, or just stopped being ahead.
    public var hasChanged: Bool
}
