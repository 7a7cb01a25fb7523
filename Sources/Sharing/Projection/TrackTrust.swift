import SensorModel

/// Tells a track that a runner runs from places where a receiver only seemed to be.
///
/// Phones tell old positions, cell towers and mirrors of the satellites' signal, mostly when they
/// begin and inside houses. So a track is trusted only after it went on without a leap for
/// ``metersMin`` from where it was taken up. Its clock is the session's, which a watch cannot set.
///
///     position --a leap, a long hole, the first one--> landed --so far from there--> trusted
struct TrackTrust: Sendable {
    /// Distance from where the track was taken up, meters.
    static let metersMin = 100.0
    /// Shorter steps are never leaps: receivers wander by this much.
    private static let leapMetersMin = 25.0
    /// A faster step is a leap, m/s: the reference's gate for distance.
    private static let speedMax = 15.0
    /// A longer time between two positions is a hole, seconds; or three times the one before, for
    /// sources that send rarely.
    private static let holeSecondsMin = 30.0
    private static let holeIntervals = 3.0
    /// A receiver without a new position for longer is lost, seconds; or three times its interval,
    /// but at most the second.
    private static let lostSecondsMin = 60.0
    private static let lostSecondsMax = 300.0

    private var landing: LocalPlane?
    private var last: (place: LocalPlane, seconds: Double)?
    /// The last two times between new positions, seconds. A runner who stands makes one long.
    private var intervals = (0.0, 0.0)
    private(set) var isTrusted = false

    /// - Parameters:
    ///   - latitude: Degrees.
    ///   - longitude: Degrees.
    ///   - seconds: Seconds of the session.
    /// - Returns: Whether the track was taken up here.
    mutating func update(latitude: Double, longitude: Double, at seconds: Double) -> Bool {
        guard let last, let landing else { return land(latitude, longitude, seconds) }
        // Seconds without a new position repeat the last one.
        guard latitude != last.place.latitude || longitude != last.place.longitude else {
            return false
        }
        let passed = max(0, seconds - last.seconds)
        let squared = last.place.squaredMeters(toLatitude: latitude, longitude: longitude)
        let isHole = passed > max(Self.holeSecondsMin, Self.holeIntervals * interval)
        let reach = max(Self.leapMetersMin, isHole ? 0 : Self.speedMax * passed)
        intervals = (intervals.1, passed)
        guard squared <= reach * reach else { return land(latitude, longitude, seconds) }
        self.last = (LocalPlane(latitude: latitude, longitude: longitude), seconds)
        isTrusted =
            isTrusted
            || landing.squaredMeters(toLatitude: latitude, longitude: longitude)
                >= Self.metersMin * Self.metersMin
        return false
    }

    /// Whether the receiver has told no new position for so long that the runner may be anywhere.
    func isLost(at seconds: Double) -> Bool {
        guard let last else { return false }
        let lostSeconds = min(Self.holeIntervals * interval, Self.lostSecondsMax)
        // Seconds fall where the log was damaged: how long ago it was is unknown then.
        return abs(seconds - last.seconds) > max(Self.lostSecondsMin, lostSeconds)
    }

    private var interval: Double { min(intervals.0, intervals.1) }

    private mutating func land(
        _ latitude: Double, _ longitude: Double, _ seconds: Double
    ) -> Bool {
        let place = LocalPlane(latitude: latitude, longitude: longitude)
        landing = place
        last = (place, seconds)
        isTrusted = false
        return true
    }
}
