import SensorModel

/// Detects stops and resumptions from motion and position together.
///
///     moving --(body still, or slow on the map, for long enough)--> paused
///     paused --(steps, or fast on the map)--------------------------> moving
///
/// Motion reacts fast and detects steps reliably; position is slow and detects places reliably. So
/// moving feet are never a pause, and a quiet sensor that travels is not one either. Every
/// transition is dated back to its start. Thresholds on speed are the reference's (0.5 and 0.8
/// m/s).
struct AutoPause: Sendable {
    enum Transition: Hashable, Sendable {
        /// The runner stopped at `since`, before the sample that proved it.
        case paused(since: Timestamp)
        case resumed(since: Timestamp)
        /// A stop that is detected only after its end.
        case wasPaused(from: Timestamp, to: Timestamp)
    }

    let parameters: Parameters
    private(set) var isPaused = false
    /// Start of a possible stop that is not proven yet.
    private(set) var slowSince: Timestamp?
    /// The newest time since `slowSince` at which the track still went on.
    private var wentOnUntil: Timestamp?
    /// Time at which a still body counts as a stop; compared on every motion sample.
    private(set) var stillDeadline: Timestamp?

    private var activity = MotionActivity(kind: .unknown, since: nil)
    private var newestMotion: Timestamp?
    private var stirredAt: Timestamp?
    private var newestFix: Timestamp?
    private var mapSpeed: Double?
    private var track = RecentTrack()
    /// Where the runner stands, by positions; `nil` while moving.
    private var place: StandingPlace?
    /// Whether the track left a place while the receiver kept reporting slowness.
    private var isRefuted = false
    /// Meters from the place of the last pause to the fix before its end.
    private(set) var metersBack = 0.0

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    /// Whether the runner may be standing, so that no meters are credited yet.
    var isSuspecting: Bool { slowSince != nil || stillDeadline != nil }

    /// Drops earlier observations after a manual pause.
    mutating func reset() {
        isPaused = false
        slowSince = nil
        stillDeadline = nil
        place = nil
        isRefuted = false
        track.clear()
    }

    // MARK: Motion

    mutating func update(activity: MotionActivity, at time: Timestamp) -> Transition? {
        newestMotion = time
        if self.activity.kind == .still, activity.kind != .still { stirredAt = activity.since }
        self.activity = activity
        stillDeadline = nil
        switch activity.kind {
        case .walking, .running:
            slowSince = nil
            return resume(since: setOff(at: activity.since ?? time))
        case .still:
            guard !isPaused, !isRiding(at: time) else { return nil }
            let since = activity.since ?? time
            let deadline = since.advanced(bySeconds: parameters.stillSeconds)
            guard time >= deadline else {
                stillDeadline = deadline
                return nil
            }
            place = nil
            return pause(since: since)
        case .moving:
            let needed =
                activity.isVigorous
                ? parameters.stirSecondsVigorous : parameters.stirSecondsAlone
            guard isPaused, let stirredAt, !hasPositions(at: time),
                time.seconds(since: stirredAt) >= needed
            else { return nil }
            return resume(since: stirredAt)
        case .unknown:
            return nil
        }
    }

    private func hasPositions(at time: Timestamp) -> Bool {
        guard let newestFix else { return false }
        return time.seconds(since: newestFix) <= parameters.positionFreshSeconds
    }

    /// Returns the start of the body's motion, because steps are certain only after a few.
    private func setOff(at steps: Timestamp) -> Timestamp {
        guard let stirredAt, stirredAt < steps,
            steps.seconds(since: stirredAt) <= parameters.stirSecondsMax
        else { return steps }
        return stirredAt
    }

    private func hasSteps(at time: Timestamp) -> Bool {
        guard let newestMotion else { return false }
        return activity.kind.isSteps
            && time.seconds(since: newestMotion) <= parameters.motionFreshSeconds
    }

    private func knowsNoSteps(at time: Timestamp) -> Bool {
        guard let newestMotion, activity.kind == .moving || activity.kind == .still else {
            return false
        }
        return time.seconds(since: newestMotion) <= parameters.motionFreshSeconds
    }

    private func isRiding(at time: Timestamp) -> Bool {
        guard let mapSpeed, let newestFix else { return false }
        return mapSpeed >= parameters.ridingSpeed
            && time.seconds(since: newestFix) <= parameters.positionFreshSeconds
    }

    // MARK: Position

    /// - Parameters:
    ///   - step: The step from the last usable fix to the new one.
    ///   - scatterMeters: Standard deviation of the track's steps from scatter alone, meters.
    /// - Returns: The transition completed by this fix.
    mutating func update(step: FixGate.Step, scatterMeters: Double = 0) -> Transition? {
        let time = step.to
        let gap = newestFix.map { time.seconds(since: $0) } ?? 0
        newestFix = time
        metersBack = 0
        let noise = StandingPlace.noiseMeters(
            accuracy: step.location.horizontalAccuracy, scatter: scatterMeters)
        let isBroken = step.isHole || step.isJump
        if isBroken { track.breakOff() }
        let point = track.add(step.location, at: time)
        guard !isBroken else {
            mapSpeed = nil
            return judgeHole(step, gap: gap, point: point, noise: noise)
        }
        let trackSpeed = track.metersPerSecond
        let speed = step.location.speed ?? trackSpeed
        mapSpeed = step.location.speed ?? track.newestMetersPerSecond
        if hasSteps(at: time) {
            slowSince = nil
            return nil
        }
        if isPaused {
            return resumeByPosition(
                step.location, trackSpeed, scatterMeters: scatterMeters, point: point,
                noise: noise, at: time)
        }
        guard let speed, speed < parameters.pauseBelow else {
            slowSince = nil
            isRefuted = false
            return nil
        }
        return suspect(step, scatterMeters: scatterMeters, point: point, noise: noise)
    }

    /// Handles a slow fix while moving.
    private mutating func suspect(
        _ step: FixGate.Step, scatterMeters: Double, point: SIMD2<Double>, noise: Double
    ) -> Transition? {
        let isAlone = !knowsNoSteps(at: step.to)
        let isFirst = slowSince == nil
        let since = slowSince ?? step.from
        if isFirst {
            slowSince = since
            wentOnUntil = nil
            place = StandingPlace(at: track.previousPoint ?? point, since)
        }
        let hasLeft = place?.add(point, noise: noise, at: step.to) ?? false
        if isAlone, hasLeft {
            slowSince = nil
            return nil
        }
        let slowFor = step.to.seconds(since: since)
        guard isAlone else {
            let speed = track.metersPerSecond ?? step.speed
            let isSlow = speed < parameters.trackPauseBelow + scatterMeters
            return isSlow && slowFor >= parameters.slowSecondsWithoutSteps
                ? pause(since: since) : nil
        }
        // One slow fix is no stop, however long ago the previous fix was.
        let isJudged = !isFirst && slowFor >= parameters.slowSeconds
        guard isStanding(step, slowFor: slowFor, scatterMeters: scatterMeters) else {
            // A receiver's own speed shows when a stop began; that of a filtered track does not.
            if isJudged || step.location.horizontalAccuracy == nil { wentOnUntil = step.to }
            return nil
        }
        guard isJudged else { return nil }
        guard let wentOnUntil else { return pause(since: since) }
        place?.restart(at: point)
        return pause(since: wentOnUntil)
    }

    /// Returns whether a track without motion data stands by now.
    private func isStanding(
        _ step: FixGate.Step, slowFor: Double, scatterMeters: Double
    ) -> Bool {
        // The receiver has reported slowness while the track went on, so its speed is not trusted.
        guard !isRefuted else {
            return (track.speed(overSeconds: parameters.standSeconds) ?? step.speed)
                < parameters.refutedStandBelow + scatterMeters
        }
        let window = min(max(slowFor, parameters.slowSeconds), parameters.standSeconds)
        return (track.speed(overSeconds: window) ?? step.speed)
            < max(parameters.standBelow, parameters.standScatterFactor * scatterMeters)
    }

    /// Detects a stop without fixes: distance filters silence the source when the runner stands.
    ///
    /// - Parameters:
    ///   - time: Current time.
    ///   - holeSeconds: Seconds without a fix that make a hole for this source.
    /// - Returns: The stop; `nil` if there is none.
    mutating func tick(at time: Timestamp, holeSeconds: Double = 0) -> Transition? {
        let silence = max(parameters.positionFreshSeconds, holeSeconds - 1)
        guard let slowSince, let newestFix, !hasSteps(at: time),
            time.seconds(since: newestFix) >= silence,
            time.seconds(since: slowSince) >= parameters.slowSeconds,
            (track.newestMetersPerSecond ?? 0) < parameters.trackPauseBelow
        else { return nil }
        return pause(since: slowSince)
    }

    private mutating func resumeByPosition(
        _ location: Location, _ trackSpeed: Double?, scatterMeters: Double, point: SIMD2<Double>,
        noise: Double, at time: Timestamp
    ) -> Transition? {
        let isStill = knowsNoSteps(at: time) && activity.kind == .still
        let doppler = isStill ? parameters.ridingSpeed : parameters.resumeFrom
        // Scatter alone moves the track of a standing runner.
        let blur = parameters.trackScatterFactor * scatterMeters
        let onTrack = (isStill ? parameters.ridingSpeed : parameters.trackResumeFrom) + blur
        let isFast = (location.speed ?? 0) >= doppler || (trackSpeed ?? 0) >= onTrack
        // Motion data decides alone where there is any.
        let isAlone = !knowsNoSteps(at: time)
        guard isAlone, var place else {
            return isFast ? resume(since: track.newestInterval?.start ?? time) : nil
        }
        let before = place
        let hasLeft = place.add(point, noise: noise, at: time)
        self.place = place
        guard isFast || hasLeft else { return nil }
        if hasLeft {
            metersBack = track.previousPoint.map(before.meters) ?? 0
        } else if location.horizontalAccuracy == nil {
            // The drift of an unfiltered receiver at a stop adds no way.
            metersBack = before.metersCounted
        }
        let previous = track.newestInterval?.start ?? time
        let departure = hasLeft ? place.departure(on: track, noise: noise) : nil
        isRefuted = !isFast
        return resume(since: departure ?? previous)
    }

    private mutating func judgeHole(
        _ step: FixGate.Step, gap: Double, point: SIMD2<Double>, noise: Double
    ) -> Transition? {
        slowSince = nil
        var slow = !step.isJump && step.speed < parameters.holeSpeedMax
        let isAlone = !knowsNoSteps(at: step.to)
        if isPaused {
            let before = place?.metersCounted ?? 0
            if isAlone, !step.isJump, place?.add(point, noise: noise, at: step.to) == true {
                metersBack = before
                return resume(since: step.from)
            }
            guard !slow, (step.location.speed ?? step.speed) >= parameters.resumeFrom else {
                return nil
            }
            return hasSteps(at: step.to) ? nil : resume(since: step.to)
        }
        // Displacement at about the pace before the hole is a slow walk without a stop.
        let least = StandingPlace.leaveMeters(noise: noise)
        let usual = parameters.holeShareMin * (step.expectedMeters ?? 0)
        if isAlone, step.meters > max(least, usual) { slow = false }
        guard slow, gap > 0, !hasSteps(at: step.to), !knewMotion(since: step.from) else {
            return nil
        }
        return .wasPaused(from: step.from, to: step.to)
    }

    /// Returns whether there was motion data during a hole of the positions, so that motion has
    /// decided already.
    private func knewMotion(since time: Timestamp) -> Bool {
        guard let newestMotion, activity.kind != .unknown else { return false }
        return newestMotion.seconds(since: time) > parameters.motionFreshSeconds
    }

    // MARK: Transitions

    private mutating func pause(since: Timestamp) -> Transition? {
        guard !isPaused else { return nil }
        isPaused = true
        metersBack = 0
        slowSince = nil
        stillDeadline = nil
        return .paused(since: since)
    }

    private mutating func resume(since: Timestamp) -> Transition? {
        guard isPaused else { return nil }
        isPaused = false
        slowSince = nil
        place = nil
        return .resumed(since: since)
    }
}
