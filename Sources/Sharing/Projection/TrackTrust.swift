import SensorModel

/// Distinguishes a runner's track from wrong positions of a receiver.
///
/// Phones report old positions, cell towers and reflected satellite signals, mostly when they start
/// and inside houses. So a track is trusted only after it continued without a leap for
/// ``metersMin`` from its landing, where it began or resumed. Its clock is the session's, which a
/// watch cannot set.
///
///     position --a leap, a long hole, the first one--> landed --metersMin from it--> trusted
///                                                        ▲                             │
///                                the next position ── lost ◀──silence, time back───────┘
struct TrackTrust: Sendable {
    /// How a record's position continues the track.
    enum Step: Hashable, Sendable {
        /// The last position again, which says nothing about the record's own time.
        case repeated
        case moved
        /// The track begins or resumes here. `isBridged`: the runner came here from a settled
        /// track, so the run did not begin here.
        case landed(isBridged: Bool)
    }

    /// Distance from its landing at which a track is trusted, meters.
    static let metersMin = 100.0
    /// Shorter steps are never leaps: receivers wander by this much.
    private static let leapMetersMin = 25.0
    /// A faster step is a leap, m/s: the reference's gate for distance.
    private static let speedMax = 15.0
    /// A longer time between two positions is a hole, seconds. Sources that send rarely or in pairs
    /// have a bound of three times the second longest of the last intervals.
    private static let holeSecondsMin = 30.0
    private static let holeSecondsMax = 300.0
    private static let holeIntervals = 3.0
    /// A track is settled at this distance from its landing without a leap, if its last steps, at
    /// least ``settledSteps``, had a runner's speed. Cell towers and receivers in houses give none.
    private static let settledMeters = 300.0
    private static let settledSteps = 60
    /// Maximum of a runner's speed in a hole, m/s, and of a receiver's sidestep, meters, after
    /// which a settled track stays settled. After a longer hole, seconds, another run may begin.
    private static let bridgedSpeedMax = 6.0
    private static let bridgedMetersMin = 50.0
    private static let bridgedSecondsMax = 600.0
    /// A receiver without a new position for longer is lost, seconds. The bound rises to three
    /// times the receiver's interval, at most to the second value.
    private static let lostSecondsMin = 60.0
    private static let lostSecondsMax = 300.0
    /// A record that is older than the newest position by more, seconds, belongs to a part of the
    /// run that comes late, or the clock was set back. Buffers of one watch are closer together.
    private static let backSecondsMin = 30.0

    private var landing: LocalPlane?
    private var last: (place: LocalPlane, seconds: Double)?
    /// Latest device time of a new and live position since time last stepped back; a repeated
    /// position may be of any earlier time. Many small steps back add up to a large one.
    private var fixAt: Timestamp?
    /// The last times between new positions, seconds. One is long if the runner stands.
    private var intervals = LastIntervals()
    /// Successive steps at a runner's speed.
    private var steadySteps = 0
    private var isSettled = false
    /// Whether the track resumes at the next new position, wherever that is.
    private var isInterrupted = false
    private(set) var isTrusted = false
    /// Whether the receiver has reported no new position for so long, while the watch's other
    /// sensors continued, that the runner may be anywhere.
    private(set) var isLost = false
    /// Whether the newest record is older than the newest position, and so not from its place.
    private(set) var hasSteppedBack = false
    private(set) var stand = LongStand()

    /// - Parameters:
    ///   - metrics: Recorded metrics.
    ///   - position: Their position.
    ///   - time: Their device time.
    /// - Returns: How the position continues the track.
    mutating func update(
        _ metrics: Metrics, _ position: PositionMetric, at time: Timestamp
    ) -> Step {
        hasSteppedBack = fixAt.map { Self.isBack(time, before: $0) } ?? false
        if hasSteppedBack {
            fixAt = time
            interrupt()
        }
        stand.update(
            position.latitude, position.longitude,
            accuracy: position.horizontalAccuracyMeters ?? 0, at: metrics.elapsedSeconds)
        let step = move(position.latitude, position.longitude, at: metrics.elapsedSeconds)
        if step != .repeated, position.state == .live { fixAt = max(fixAt ?? time, time) }
        isLost =
            metrics.state == .live && position.state == .stale
            && isSilent(at: metrics.elapsedSeconds)
        if isLost { interrupt() }
        return step
    }

    static func isBack(_ time: Timestamp, before other: Timestamp) -> Bool {
        time.seconds(since: other) < -backSecondsMin
    }

    private mutating func interrupt() {
        isInterrupted = true
        isTrusted = false
    }

    private mutating func move(
        _ latitude: Double, _ longitude: Double, at seconds: Double
    ) -> Step {
        let place = LocalPlane(latitude: latitude, longitude: longitude)
        guard let last, let landing else {
            land(at: place, seconds)
            return .landed(isBridged: false)
        }
        // Seconds without a new position repeat the last one.
        guard latitude != last.place.latitude || longitude != last.place.longitude else {
            return .repeated
        }
        let passed = max(0, seconds - last.seconds)
        let squared = last.place.squaredMeters(toLatitude: latitude, longitude: longitude)
        let reach = max(Self.leapMetersMin, isHole(passed) ? 0 : Self.speedMax * passed)
        intervals.add(passed)
        let bridge = max(Self.bridgedMetersMin, Self.bridgedSpeedMax * passed)
        guard squared <= reach * reach, !isInterrupted else {
            isSettled =
                isSettled && !hasSteppedBack && passed <= Self.bridgedSecondsMax
                && squared <= bridge * bridge
            land(at: place, seconds)
            return .landed(isBridged: isSettled)
        }
        self.last = (place, seconds)
        let away = landing.squaredMeters(toLatitude: latitude, longitude: longitude)
        isTrusted = isTrusted || away >= Self.metersMin * Self.metersMin
        steadySteps = squared <= bridge * bridge ? steadySteps + 1 : 0
        isSettled =
            isSettled
            || steadySteps >= Self.settledSteps && away >= Self.settledMeters * Self.settledMeters
        return .moved
    }

    private func isHole(_ seconds: Double) -> Bool {
        let longest = min(Self.holeIntervals * intervals.secondLongest, Self.holeSecondsMax)
        return seconds > max(Self.holeSecondsMin, longest)
    }

    private func isSilent(at seconds: Double) -> Bool {
        guard let last else { return false }
        let lostSeconds = min(Self.holeIntervals * intervals.shorterOfLastTwo, Self.lostSecondsMax)
        // The session's seconds fall after damage in the log: the time since then is unknown.
        return abs(seconds - last.seconds) > max(Self.lostSecondsMin, lostSeconds)
    }

    private mutating func land(at place: LocalPlane, _ seconds: Double) {
        landing = place
        last = (place, seconds)
        isTrusted = false
        isInterrupted = false
        steadySteps = 0
    }
}
