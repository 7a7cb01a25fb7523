import SensorModel

/// Computes climb from altitudes of positions, with a threshold that depends on their noise.
///
/// Satellite altitude drifts by several meters within minutes, so only large swings count. Watches
/// report an altitude from their barometer, or one that they filtered. It has no accuracy and
/// hardly any noise between fixes. There small swings count too. On a course with altitudes, those
/// count in place of a satellite's.
///
///     noise² = mean of (second difference)² / 6        white noise contributes its own variance,
///                                                      a steady slope nothing
struct PositionClimb: Sendable {
    private static let parameters = Parameters()
    private(set) var gainMeters = 0.0
    private(set) var lossMeters = 0.0
    private var counter: ClimbCounter
    private var quietCounter: ClimbCounter
    private var courseCounter = ClimbCounter(threshold: CourseRoute.climbThresholdMeters)
    /// Altitude of the course, where it counts.
    private var courseAltitude: Double?
    private var smoothed = SmoothedAltitude()
    private var quietSmoothed = SmoothedAltitude()
    /// Whether small swings count; `nil` before the first judgment.
    private var isQuiet: Bool?
    private var newest: (meters: Double, time: Timestamp)?
    /// Climb per second between the last two fixes.
    private var slope: Double?
    /// Variance of the noise, m². It starts at the limit, so that noise shows at once.
    private var variance: Double
    private var differences = 0

    init() {
        variance = Self.parameters.quietNoiseMax * Self.parameters.quietNoiseMax
        counter = ClimbCounter(threshold: Self.parameters.threshold)
        quietCounter = ClimbCounter(threshold: Self.parameters.quietThreshold)
    }

    /// Smoothed altitude, meters; `nil` before the first fix.
    var altitude: Double? {
        courseAltitude ?? (isQuiet == true ? quietSmoothed.meters : smoothed.meters)
    }

    /// Forgets the altitude but keeps the sums.
    mutating func restart() {
        counter.restart()
        quietCounter.restart()
        courseCounter.restart()
        courseAltitude = nil
        smoothed.restart()
        quietSmoothed.restart()
        newest = nil
        slope = nil
    }

    /// - Parameters:
    ///   - altitude: Meters above sea level.
    ///   - courseAltitude: That of the course at this place; `nil` if it is unknown.
    ///   - verticalAccuracy: Meters; `nil` if unknown.
    ///   - isFiltered: Whether the fix has no accuracy at all, like those of watches.
    ///   - time: Time of the fix.
    mutating func add(
        _ altitude: Double, courseAltitude: Double? = nil, verticalAccuracy: Double?,
        isFiltered: Bool, at time: Timestamp
    ) {
        noteNoise(altitude, at: time)
        let before = sums
        let blur = max(1, (verticalAccuracy ?? 5) / 5)
        if !smoothed.add(altitude, timeConstant: Self.parameters.timeConstant * blur, at: time) {
            counter.restart()
        }
        if !quietSmoothed.add(altitude, timeConstant: Self.parameters.quietTimeConstant, at: time) {
            quietCounter.restart()
        }
        if let meters = smoothed.meters { counter.add(meters) }
        if let meters = quietSmoothed.meters { quietCounter.add(meters) }
        if let courseAltitude { courseCounter.add(courseAltitude) }
        let wasJudged = isQuiet != nil
        var counted = judge(isFiltered: isFiltered, before: before)
        if isQuiet == false {
            follow(courseAltitude, counted: &counted, before: before.course, isFirst: !wasJudged)
        } else {
            self.courseAltitude = nil
        }
        gainMeters += counted.gain
        lossMeters += counted.loss
    }

    /// Lets the course's counter count in place of that of a satellite's altitudes. A counter that
    /// takes over begins anew: the other one has counted the swing so far.
    private mutating func follow(
        _ altitude: Double?, counted: inout Sums, before: Sums, isFirst: Bool
    ) {
        let wasOnCourse = courseAltitude != nil
        courseAltitude = altitude
        switch (wasOnCourse, altitude) {
        case (true, nil):
            counted = (0, 0)
            counter.restart()
            courseCounter.restart()
        case (false, nil): courseCounter.restart()
        case (false, let altitude?) where !isFirst:
            counted = (0, 0)
            courseCounter.restart()
            courseCounter.add(altitude)
        case (_, .some):
            let now = sums.course
            counted = (now.gain - before.gain, now.loss - before.loss)
            if isFirst { counted = now }
        }
    }

    private typealias Sums = (gain: Double, loss: Double)

    private var sums: (plain: Sums, quiet: Sums, course: Sums) {
        (
            (counter.gainMeters, counter.lossMeters),
            (quietCounter.gainMeters, quietCounter.lossMeters),
            (courseCounter.gainMeters, courseCounter.lossMeters)
        )
    }

    /// - Returns: New counts of the selected counter; at the first judgment, all that it has.
    private mutating func judge(
        isFiltered: Bool, before: (plain: Sums, quiet: Sums, course: Sums)
    ) -> Sums {
        let now = sums
        var counted: Sums = (0, 0)
        if let isQuiet {
            let (old, new) = isQuiet ? (before.quiet, now.quiet) : (before.plain, now.plain)
            counted = (new.gain - old.gain, new.loss - old.loss)
        }
        let wasJudged = isQuiet != nil
        if !isFiltered {
            isQuiet = false
        } else if differences >= Self.parameters.judgedFrom {
            isQuiet = variance < Self.parameters.quietNoiseMax * Self.parameters.quietNoiseMax
        }
        if !wasJudged, let isQuiet { counted = isQuiet ? now.quiet : now.plain }
        return counted
    }

    private mutating func noteNoise(_ altitude: Double, at time: Timestamp) {
        defer { newest = (altitude, time) }
        guard let newest else { return }
        let seconds = time.seconds(since: newest.time)
        guard seconds > 0, seconds <= Self.parameters.stepSecondsMax else {
            slope = nil
            return
        }
        let slope = (altitude - newest.meters) / seconds
        defer { self.slope = slope }
        guard let before = self.slope else { return }
        let difference = slope - before
        let square = difference * difference / 6
        let bounded = min(
            square, Self.parameters.squareMax * variance + Self.parameters.squareAddend)
        variance +=
            max(Self.parameters.noiseGain, 1 / Double(differences + 2)) * (bounded - variance)
        differences = min(differences + 1, 1_000_000)
    }
}
