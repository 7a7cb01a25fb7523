import SensorModel

/// Follows the runner's plan: phases by time or by distance, one after another.
///
/// A phase ends at its mark, interpolated between two measurements, and the next one begins there,
/// so no time is lost between them. Time continues while the runner stands, since a rest may be
/// standing; only a manual pause stops it. The reference's countdown lasts three seconds.
struct Intervals: Sendable {
    static let countdownSeconds = 3.0

    /// The values of a session at one time.
    struct Moment: Sendable {
        var time: Timestamp
        /// Meters; `nil` if no distance is known.
        var meters: Double?
        /// Integral of the heart rate, beats/min × seconds, and its seconds so far.
        var heartRate: (beats: Double, seconds: Double)

        /// The moment at `share` of the way to `next`, 0…1.
        fileprivate func toward(_ next: Moment, _ share: Double) -> Moment {
            let seconds = next.time.seconds(since: time) * share
            let before = heartRate
            return Moment(
                time: time.advanced(bySeconds: seconds),
                meters: next.meters.map { (meters ?? 0) + ($0 - (meters ?? 0)) * share },
                heartRate: (
                    before.beats + (next.heartRate.beats - before.beats) * share,
                    before.seconds + (next.heartRate.seconds - before.seconds) * share
                ))
        }
    }

    enum Change: Hashable, Sendable {
        /// `since` is session time.
        case started(IntervalStart)
        case ending(number: Int, seconds: Double)
        /// `start` and `end` are session time.
        case ended(Interval)
    }

    private let phases: [IntervalPlan.Phase]
    private var index = 0
    private var start: Moment?
    private var newest: Moment
    /// The last measured meters: the mark of a distance lies after them.
    private var measured: Moment
    /// Meters passed to the last call.
    private var told: Double?
    /// Seconds of the phase, without manual pauses.
    private var seconds = 0.0
    private var maxHeartRate: Double?
    private var hasCountedDown = false

    /// Starts the first phase at `moment`, with the next ``update(to:isMeasured:isPaused:speed:)``.
    init(plan: IntervalPlan, from moment: Moment) {
        phases = plan.phases
        newest = moment
        measured = moment
        told = moment.meters
    }

    mutating func note(beatsPerMinute: Double) {
        maxHeartRate = max(maxHeartRate ?? 0, beatsPerMinute)
    }

    /// - Parameters:
    ///   - moment: Current values; values earlier than the last ones change nothing.
    ///   - isMeasured: Whether a fix measured the meters; a tick without new meters gives no
    ///     information.
    ///   - isPaused: Whether a manual pause is active.
    ///   - speed: m/s, for the countdown to a distance, and for the path since the last fix.
    /// - Returns: The events up to that time, in order.
    mutating func update(
        to moment: Moment, isMeasured: Bool = true, isPaused: Bool, speed: Double?
    ) -> [Change] {
        var changes: [Change] = []
        if start == nil { changes.append(begin(at: newest)) }
        guard index < phases.count, moment.time >= newest.time else { return changes }
        let isMeasured = isMeasured || moment.meters != told
        told = moment.meters
        while index < phases.count,
            let mark = mark(
                until: moment, isMeasured: isMeasured, isPaused: isPaused, speed: speed)
        {
            let passed = isPaused ? 0 : moment.time.seconds(since: newest.time)
            let after = isPaused ? 0 : moment.time.seconds(since: mark.time)
            changes.append(.ended(end(at: mark, seconds: seconds + passed - after)))
            index += 1
            guard index < phases.count else { break }
            changes.append(begin(at: mark))
        }
        if !isPaused { seconds += moment.time.seconds(since: newest.time) }
        newest = moment
        if isMeasured { measured = moment }
        if let countdown = countdown(speed: speed) { changes.append(countdown) }
        return changes
    }

    var progress: IntervalProgress? {
        guard index < phases.count, start != nil else { return nil }
        var progress = IntervalProgress(
            number: index + 1, count: phases.count, secondsLeft: nil, metersLeft: nil)
        switch phases[index] {
        case .seconds(let goal): progress.secondsLeft = max(0, goal - seconds)
        case .meters(let goal): progress.metersLeft = max(0, goal - covered(at: newest))
        }
        return progress
    }

    private func covered(at moment: Moment) -> Double {
        max(0, (moment.meters ?? 0) - (start?.meters ?? 0))
    }

    /// Returns the mark that ends the phase; `nil` if it is after `moment`.
    private func mark(
        until moment: Moment, isMeasured: Bool, isPaused: Bool, speed: Double?
    ) -> Moment? {
        switch phases[index] {
        case .seconds(let goal):
            let passed = isPaused ? 0 : moment.time.seconds(since: newest.time)
            guard seconds + passed >= goal else { return nil }
            var mark = newest.toward(moment, passed > 0 ? max(goal - seconds, 0) / passed : 1)
            mark.meters = meters(at: mark.time, until: moment, isMeasured, speed: speed)
            return mark
        case .meters(let goal):
            let (before, after) = (covered(at: measured), covered(at: moment))
            guard after >= goal else { return nil }
            let share = after > before ? (goal - before) / (after - before) : 1
            return measured.toward(moment, min(max(share, 0), 1))
        }
    }

    /// Returns the meters at a time after the last fix: interpolated to the new fix, or
    /// extrapolated at the same speed.
    private func meters(
        at time: Timestamp, until moment: Moment, _ isMeasured: Bool, speed: Double?
    ) -> Double? {
        guard let now = moment.meters else { return nil }
        let seconds = time.seconds(since: measured.time)
        guard isMeasured else { return max(now, measured.meters ?? now) + seconds * (speed ?? 0) }
        let step = moment.time.seconds(since: measured.time)
        guard let before = measured.meters, step > 0 else { return now }
        return before + (now - before) * min(max(seconds / step, 0), 1)
    }

    private mutating func begin(at moment: Moment) -> Change {
        start = moment
        newest = moment
        measured = moment
        seconds = 0
        maxHeartRate = nil
        hasCountedDown = false
        return .started(
            IntervalStart(
                number: index + 1, count: phases.count, goal: phases[index], since: moment.time))
    }

    private func end(at mark: Moment, seconds: Double) -> Interval {
        let start = start ?? mark
        let beats = mark.heartRate.beats - start.heartRate.beats
        let beatSeconds = mark.heartRate.seconds - start.heartRate.seconds
        return Interval(
            number: index + 1, count: phases.count, goal: phases[index], start: start.time,
            end: mark.time, seconds: seconds,
            distanceMeters: mark.meters.map { max(0, $0 - (start.meters ?? 0)) },
            averageHeartRate: beatSeconds > 0 ? beats / beatSeconds : nil,
            maxHeartRate: maxHeartRate)
    }

    private mutating func countdown(speed: Double?) -> Change? {
        guard !hasCountedDown, let progress else { return nil }
        var left = progress.secondsLeft
        if let meters = progress.metersLeft, let speed, speed > 0.5 { left = meters / speed }
        guard let left, left <= Self.countdownSeconds else { return nil }
        hasCountedDown = true
        return .ending(number: progress.number, seconds: left)
    }
}
