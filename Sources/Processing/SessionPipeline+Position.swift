import SensorModel

extension SessionPipeline {
    var positionStaleSeconds: Double { max(5, 3 * gate.rhythmSeconds) }

    /// The order of the position's processors: place, height, stop or go, way, speed, marks, course.
    mutating func noteLocation(
        _ location: Location, at time: Timestamp, into events: inout [StreamEvent]
    ) {
        if let newestFix, time <= newestFix.time { return }
        newestFix = (location, time)
        distance.note(accuracy: location.horizontalAccuracy, at: time)
        switch gate.admit(location, at: time) {
        case .refused: return
        case .first(let location):
            guard !profile.treadmill else { return }
            distance.start(at: location, steps: steps(at: time))
            lateFixes.restart(at: time, meters: distance.meters ?? 0)
            noteMarks(at: time, into: &events)
        case .step(let step):
            guard !profile.treadmill else { return }
            noteStep(step, into: &events)
        }
        if let altitude = location.altitude {
            elevation.add(
                position: altitude, verticalAccuracy: location.verticalAccuracy, at: time)
        }
        follow(course: location, at: time, into: &events)
    }

    /// A fix out of a gap: one that is the newest all the same is like any other, another changes
    /// the way through its hole, and the splits that were told of it.
    mutating func noteLate(
        _ location: Location, at time: Timestamp, into events: inout [StreamEvent]
    ) {
        guard let newestFix, time <= newestFix.time else {
            if moment.seconds(since: time) <= clock.parameters.backwardSlackSeconds {
                noteLocation(location, at: time, into: &events)
            }
            return
        }
        guard !profile.treadmill,
            let change = lateFixes.take(location, at: time, by: distance)
        else { return }
        distance.credit(late: change.addedMeters)
        if change.addedMeters > 0 { owesMetrics = true }
        for split in splits.corrected(by: change, movingTime: movingTime) {
            emit(.correction(.split(split)), into: &events)
        }
    }

    private mutating func noteStep(_ taken: FixGate.Step, into events: inout [StreamEvent]) {
        var step = taken
        let isAcrossPause = leaveOutPause(of: &step)
        var isMoving = true
        switch profile.autoPause {
        case .fused where !isManuallyPaused:
            let transition = autoPause.update(
                step: step, scatterMeters: distance.scatterMeters)
            follow(transition, into: &events)
            if case .wasPaused = transition { isMoving = false }
        case .reference where !isManuallyPaused:
            let transition = referencePause.update(speed: step.location.speed, at: step.to)
            follow(transition, into: &events)
        case .fused, .reference, .off: break
        }
        if movingTime.isPaused { isMoving = false }
        distance.add(
            step, isMoving: isMoving, steps: steps(at: step.to),
            cadence: cadence.cadence.stepsPerMinute)
        if isMoving, !isAcrossPause, !autoPause.isSuspecting, let meters = distance.meters {
            lateFixes.note(step, meters: meters)
        } else {
            lateFixes.restart(at: step.to, meters: distance.meters ?? 0)
        }
        speed.add(step, factor: 1)
        cadence.noteSpeed(isMoving ? speed.metersPerSecond : 0, at: step.to)
        noMovement.note(speed: speed.metersPerSecond, at: step.to)
        if !noMovement.isStanding { noMovementEnded(at: nil, into: &events) }
        noteMarks(at: step.to, into: &events)
        followIntervals(to: step.to, into: &events)
    }

    /// Watches stop their receiver while paused by hand, and where the wearer went meanwhile is no
    /// way: a step over the pause is credited what the time outside of it explains.
    ///
    /// - Returns: Whether the step leads over a pause.
    private mutating func leaveOutPause(of step: inout FixGate.Step) -> Bool {
        guard !isManuallyPaused, let pause = pauseByHand else { return false }
        pauseByHand = nil
        guard step.from < pause.end, step.isHole || step.from < pause.start else { return false }
        let paused =
            movingTime.pausedSeconds(until: step.to) - movingTime.pausedSeconds(until: step.from)
        let share = max(0, 1 - paused / step.seconds)
        step.isJump = true
        step.expectedMeters = step.expectedMeters.map { $0 * share }
        return true
    }

    private mutating func noteMarks(
        at time: Timestamp, isMeasured: Bool = true, into events: inout [StreamEvent]
    ) {
        guard let meters = distance.meters else { return }
        if isFirstSplitPending {
            isFirstSplitPending = false
            splits.start(at: time, altitude: elevation.altitude)
        }
        let context = Splits.Context(
            heartRate: heartTotals.integral(at: time), altitude: elevation.altitude)
        let done = splits.update(
            meters: meters, at: time, isMeasured: isMeasured, movingTime: movingTime,
            context: context)
        for split in done { emit(.split(split), into: &events) }
        finish.follow(
            meters: meters, elapsedSeconds: elapsedSeconds(until: time),
            isMeasured: isMeasured, raceKm: profile.raceKm)
        if !done.isEmpty { owesMetrics = true }
        if let altitude = elevation.altitude {
            grade.add(meters: meters, altitude: altitude, hasBarometer: elevation.hasBarometer)
        }
    }

    private mutating func follow(
        course location: Location, at time: Timestamp, into events: inout [StreamEvent]
    ) {
        guard let change = course?.update(location) else { return }
        for name in change.reached {
            let reached = CheckpointReached(
                checkpoint: name, elapsedSeconds: elapsedSeconds(until: time),
                distanceMeters: distance.meters)
            emit(.checkpointReached(reached), into: &events)
            owesMetrics = true
        }
        guard change.offCourseChanged, let course else { return }
        emit(.alert(.offCourse(course.isOffCourse)), into: &events)
        owesMetrics = true
    }

    mutating func tickPosition(into events: inout [StreamEvent]) {
        if !isManuallyPaused {
            switch profile.autoPause {
            case .fused: follow(autoPause.tick(at: moment), into: &events)
            case .reference:
                let silence = gate.holeSeconds
                follow(referencePause.tick(at: moment, usualSeconds: silence), into: &events)
            case .off: break
            }
        }
        let stepsPerMinute = cadence.cadence.stepsPerMinute
        let silence = newestFix.map { moment.seconds(since: $0.time) } ?? .infinity
        let walks = activity.kind.isSteps
        if silence > gate.holeSeconds, walks, !movingTime.isPaused, !profile.treadmill {
            distance.bridge(steps: Double(steps), cadence: stepsPerMinute)
        }
        if !speed.isFresh(at: moment, rhythmSeconds: gate.rhythmSeconds) {
            speedFromSteps(stepsPerMinute, walks: walks)
            cadence.noteSpeed(nil, at: moment)
        }
        noteMarks(at: moment, isMeasured: false, into: &events)
        followIntervals(to: moment, isMeasured: false, into: &events)
        guard let meters = distance.meters else { return }
        finish.update(meters: meters, movingSeconds: movingSeconds)
    }

    private mutating func speedFromSteps(_ stepsPerMinute: Double?, walks: Bool) {
        guard distance.hasStarted, walks, let stepsPerMinute else {
            speed.set(nil, uncertainty: 0)
            return
        }
        let stride = distance.stride.metersPerStep(cadence: stepsPerMinute)
        let metersPerSecond = stepsPerMinute / 60 * stride
        speed.set(
            metersPerSecond, uncertainty: metersPerSecond * distance.stride.uncertainty)
    }
}
