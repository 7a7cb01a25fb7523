import SensorModel

/// Tells a track that a runner runs from places where a receiver only seemed to be.
///
/// Phones tell old positions, cell towers and mirrors of the satellites' signal, mostly when they
/// begin and inside houses. So a track is trusted only after it went on without a leap for
/// ``metersMin`` from where it was taken up. Its clock is the session's, which a watch cannot set.
///
///     position --a leap, a long hole, the first one--> landed --so far from there--> trusted
///                                                        ▲                             │
///                                the next position ── lost ◀──silence, time back───────┘
struct TrackTrust: Sendable {
    /// What a record's position is to the track.
    enum Step: Hashable, Sendable {
        /// The last one, again: it tells nothing of the record's own time.
        case repeated
        case moved
        /// The track was taken up here. `isBridged`: a runner came here from a settled track, so this
        /// is not where the run began.
        case landed(isBridged: Bool)
    }

    /// Distance from where the track was taken up, meters.
    static let metersMin = 100.0
    /// Shorter steps are never leaps: receivers wander by this much.
    private static let leapMetersMin = 25.0
    /// A faster step is a leap, m/s: the reference's gate for distance.
    private static let speedMax = 15.0
    /// A longer time between two positions is a hole, seconds; or three times the second longest of the
    /// last ones, for sources that send rarely or in pairs.
    private static let holeSecondsMin = 30.0
    private static let holeSecondsMax = 300.0
    private static let holeIntervals = 3.0
    /// A track is settled when it has gone so far without a leap from where it was taken up, at last in so
    /// many steps of a runner: neither cell towers nor a receiver in a house tell such a one.
    private static let settledMeters = 300.0
    private static let settledSteps = 60
    /// What a runner covers in a hole, m/s, and a receiver in a step aside, meters. Behind a longer hole,
    /// seconds, another run may begin.
    private static let bridgedSpeedMax = 6.0
    private static let bridgedMetersMin = 50.0
    private static let bridgedSecondsMax = 600.0
    /// A receiver without a new position for longer is lost, seconds; or three times its interval,
    /// but at most the second.
    private static let lostSecondsMin = 60.0
    private static let lostSecondsMax = 300.0
    /// A record further before the newest position, seconds, is of a part of the run that comes late,
    /// or the clock was set back. Buffers of one watch are closer together.
    private static let backSecondsMin = 30.0

    private var landing: LocalPlane?
    private var last: (place: LocalPlane, seconds: Double)?
    /// Latest device time of a position that was new in its record, and live, since the time last stepped
    /// back: a repeated one may be of any time before. Many small steps back are a large one.
    private var fixAt: Timestamp?
    /// The last times between new positions, seconds. A runner who stands makes one long.
    private var intervals = LastIntervals()
    /// Steps of a runner in a row.
    private var steadySteps = 0
    private var isSettled = false
    /// Whether the next new position takes the track up, wherever it is.
    private var isInterrupted = false
    private(set) var isTrusted = false
    /// Whether the receiver has told no new position for so long, while others of the watch went on,
    /// that the runner may be anywhere.
    private(set) var isLost = false
    /// Whether the newest record is from before the newest position, and so not of its place.
    private(set) var hasSteppedBack = false
    private(set) var stand = LongStand()

    /// - Parameters:
    ///   - metrics: Recorded metrics.
    ///   - position: Their position.
    ///   - time: Their device time.
    /// - Returns: What the position is to the track.
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
        // Seconds fall where the log was damaged: how long ago it was is unknown then.
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

/// The last eight times between two positions, seconds.
private struct LastIntervals {
    private var seconds = InlineArray<8, Double>(repeating: 0)
    private var count = 0

    mutating func add(_ interval: Double) {
        seconds[count % seconds.count] = interval
        count += 1
    }

    /// 0 for fewer than two.
    var secondLongest: Double {
        var (longest, second) = (0.0, 0.0)
        for index in 0..<min(count, seconds.count) {
            second = max(second, min(longest, seconds[index]))
            longest = max(longest, seconds[index])
        }
        return second
    }

    /// 0 for fewer than two.
    var shorterOfLastTwo: Double {
        guard count > 1 else { return 0 }
        return min(seconds[(count - 1) % seconds.count], seconds[(count - 2) % seconds.count])
    }
}
