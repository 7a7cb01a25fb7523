public import SensorModel

/// All stages of one session, and the order in which they process a step.
///
/// It is pure: equal calls give equal events, byte for byte, so a replay can verify a session. It
/// has no clock, socket or log. Each stage has its own state. This type passes data of one stage to
/// another as arguments. A step runs the stages of its kind, in this order:
///
///     motion sample   motion, alerts, pauses, distance, splits
///     fix             position, pauses, distance, motion, alerts, splits, race, elevation,
///                     intervals, course
///     heart rate      heart, load, intervals
///     air pressure    elevation
///     button          intervals, then pauses, alerts, distance, splits
///     status          device
///     measured        measured
///     whole second    motion, alerts, measured, pauses, distance, splits, race, elevation,
///                     intervals, heart, load, alerts
///
/// Before each sample, `time` ticks the whole seconds of device time that have passed. So a
/// backlog, a replay and a live run agree. The metrics of a second are sent with its first sample,
/// so that a source of one sample a second is shown at once. `late: true` marks a sample of an
/// earlier gap, which never moves the session's time.
///
/// `SessionPipeline+Input.swift` has the inputs, `SessionPipeline+Steps.swift` the start and end of
/// a step, `SessionPipeline+Metrics.swift` the shown values.
///
/// A processor with a new metric touches five files:
/// 1. `SensorModel/Metrics.swift`: the metric.
/// 2. `WireFormat/Records/MetricsCodec.swift`: its place in the record.
/// 3. `Sharing/Encoding/FieldKey.swift`: its name, scope and decimals.
/// 4. `Processing/<Topic>/<Name>.swift`: the processor.
/// 5. `Processing/Stages/<Name>Stage.swift`: its stage. A processor that is a stage itself is
///    listed here instead, and shown in `SessionPipeline+Metrics.swift`.
public struct SessionPipeline: Sendable {
    /// Version of the computation. Increase it whenever equal samples give different events.
    public static let algorithmVersion: UInt16 = 19

    var profile: RunnerProfile

    // MARK: The stages

    var time = TimeStage()
    var motion: MotionStage
    var position = PositionStage()
    var pauses = PauseStage()
    var distance: DistanceStage
    var splits = SplitStage()
    var race = RaceStage()
    var elevation = ElevationStage()
    var intervals = IntervalStage()
    var course = CourseStage()
    var heart: HeartRateStage
    var load: LoadStage
    var alerts = AlertStage()
    var device = DeviceStage()
    var measured = MeasuredStage()

    public init(profile: RunnerProfile) {
        self.profile = profile
        motion = MotionStage(placement: profile.placement)
        distance = DistanceStage(calibration: profile.strideCalibration)
        heart = HeartRateStage(profile: profile)
        load = LoadStage(profile: profile)
    }

    // MARK: The order of processing

    /// Processes a motion sample. Most samples are new information only for these stages.
    ///
    /// - Returns: The new information, whose processing needs a context.
    @inline(__always)
    mutating func process(
        _ sample: MotionSample, _ traits: MotionTraits, at sampleTime: Timestamp
    ) -> (hasFallen: Bool, isActivityDue: Bool) {
        let hasNewActivity = motion.add(sample, traits: traits, at: sampleTime)
        let hasFallen = alerts.detectFall(sample, traits: traits, at: sampleTime)
        return (hasFallen, hasNewActivity || pauses.isStillDue(at: sampleTime))
    }

    /// Processes the new information of a motion sample.
    mutating func process(
        hasFallen: Bool, isActivityDue: Bool, _ context: inout StageContext
    ) {
        if hasFallen { alerts.raiseFall(&context) }
        if isActivityDue { processActivity(at: context.time, &context) }
    }

    private mutating func processActivity(
        at sampleTime: Timestamp, _ context: inout StageContext
    ) {
        motion.updateActivity()
        alerts.follow(motion.activity, at: sampleTime, &context)
        let outcome = pauses.update(
            activity: motion.activity, at: sampleTime, method: profile.autoPause, &context)
        follow(outcome, &context)
    }

    /// Processes a position fix.
    mutating func process(_ location: Location, _ context: inout StageContext) {
        guard let verdict = position.admit(location, at: context.time) else { return }
        distance.note(accuracy: location.horizontalAccuracy, at: context.time)
        if case .refused = verdict { return }
        guard !profile.treadmill else { return }
        measured.notePosition(at: context.time)
        switch verdict {
        case .refused: return
        case .first(let location):
            let steps = motion.rhythmSteps(at: context.time)
            distance.start(at: location, steps: steps, context.time)
            processMeters(isMeasured: true, &context)
        case .step(let step):
            process(step, &context)
        }
        course.follow(location, meters: distance.meters, &context)
        elevation.add(location, courseAltitude: course.altitude, at: context.time)
    }

    private mutating func process(_ taken: FixGate.Step, _ context: inout StageContext) {
        var step = taken
        let isAcrossPause = pauses.leaveOutPause(of: &step)
        let outcome = pauses.update(
            step: step, scatterMeters: distance.scatterMeters, method: profile.autoPause, &context)
        follow(outcome, &context)
        distance.add(
            step, steps: motion.rhythmSteps(at: step.to), cadence: motion.stepsPerMinute,
            isMoving: outcome.isMoving, isOneWay: !isAcrossPause && !pauses.isSuspecting)
        motion.note(speed: outcome.isMoving ? distance.metersPerSecond : 0, at: step.to)
        alerts.follow(speed: distance.metersPerSecond, &context)
        processMeters(isMeasured: true, &context)
        processIntervals(isMeasured: true, &context)
    }

    /// Processes a late fix of a gap. A fix that is still the newest is handled as usual. Any other
    /// changes the path through its hole, and the splits that used it.
    mutating func process(late location: Location, _ context: inout StageContext) {
        guard let newest = position.newestTime, context.time <= newest else {
            if time.isRecent(context.time) { process(location, &context) }
            return
        }
        guard !profile.treadmill, let change = distance.addLate(location, &context) else { return }
        splits.correct(by: change, movingTime: pauses.movingTime, &context)
    }

    /// Processes a heart rate sample.
    mutating func process(_ sample: HeartRateSample, _ context: inout StageContext) {
        guard let reading = heart.add(sample, &context) else { return }
        load.add(reading, profile: profile)
        intervals.note(beatsPerMinute: reading.beatsPerMinute)
    }

    /// Processes a button press.
    mutating func process(_ control: ControlAction, _ context: inout StageContext) {
        processIntervals(isMeasured: true, &context)
        switch control {
        case .start, .resume:
            guard let outcome = pauses.resume(&context) else { return }
            alerts.resume(at: context.time)
            distance.skip(toSteps: motion.rhythmSteps(at: context.time))
            follow(outcome, &context)
        case .pause:
            guard let outcome = pauses.pause(&context) else { return }
            follow(outcome, &context)
        case .lap:
            splits.markLap(
                movingSeconds: pauses.movingSeconds(at: context.times), meters: distance.meters,
                heartRate: heart.integral(at: context.times.moment), &context)
        case .sos: alerts.raiseSOS(&context)
        case .cancelAlert: alerts.cancel(&context)
        case .stop: break
        }
    }

    /// Processes a whole second, with or without a sample.
    mutating func tick(_ context: inout StageContext) {
        let newestMotion = motion.tick(at: context.time)
        if let newestMotion { processActivity(at: newestMotion, &context) }
        measured.tick(at: context.time, isPaused: pauses.isPaused)
        let isOwn = newestMotion != nil
        motion.credit(steps: measured.useSteps(isOwn: isOwn, at: context.time))
        let stepsPerMinute = measured.stepsPerMinute(
            own: isOwn ? motion.stepsPerMinute : nil, at: context.time)
        if !pauses.isPaused { motion.addToMean(stepsPerMinute) }
        if isOwn, profile.treadmill, pauses.isPaused || !measured.hasMeters {
            distance.addTreadmill(
                toSteps: motion.rhythmSteps, cadence: motion.stepsPerMinute,
                isMoving: !pauses.isPaused)
        }
        let outcome = pauses.tick(
            method: profile.autoPause, holeSeconds: position.holeSeconds, &context)
        follow(outcome, &context)
        tickDistance(&context)
        processMeters(isMeasured: false, &context)
        if let meters = distance.meters {
            race.tick(meters: meters, movingSeconds: pauses.movingSeconds(at: context.times))
        }
        processIntervals(isMeasured: false, &context)
        heart.tick(
            stepsPerMinute: measured.stepsPerMinute(
                own: motion.stepsPerMinute, at: context.time), &context)
        load.tick(
            beatsPerMinute: heart.live(at: context.time),
            metersPerSecond: pauses.isPaused ? nil : distance.metersPerSecond)
        let second = AlertStage.Second(
            liveZone: heart.liveZone(at: context.time),
            movingMeters: pauses.isPaused ? nil : distance.meters,
            paceSecondsPerKm: distance.paceSecondsPerKm(isPaused: pauses.isPaused),
            isManuallyPaused: pauses.isManuallyPaused)
        alerts.tick(second, profile: profile, &context)
    }

    // MARK: Parts of several steps

    private mutating func follow(_ outcome: PauseStage.Outcome, _ context: inout StageContext) {
        distance.follow(outcome)
        if outcome.change != nil { splits.correct(by: pauses.movingTime, &context) }
    }

    /// Credits the meters of a sensor while there are no positions; without a sensor, the steps.
    private mutating func tickDistance(_ context: inout StageContext) {
        let walks = motion.activity.kind.isSteps
        let isHole = position.silenceSeconds(at: context.time) > position.holeSeconds
        if isHole || profile.treadmill, !pauses.isPaused, let meters = measured.useMeters() {
            distance.bridge(measured: meters, steps: motion.rhythmSteps)
        } else if isHole, walks, !pauses.isPaused, !profile.treadmill {
            distance.bridge(steps: motion.rhythmSteps, cadence: motion.stepsPerMinute)
        }
        let speed = measured.speed(at: context.time)
        let isFresh = distance.ageSpeed(
            at: context.time, rhythmSeconds: position.rhythmSeconds, measured: speed?.value,
            cadence: walks ? motion.stepsPerMinute : nil)
        guard !isFresh else { return }
        motion.note(speed: nil, at: context.time)
        measured.noteUse(ofSpeed: speed)
        // Only positions raise the alert; a sensor's speed above the limit clears it.
        if let speed, position.newestTime != nil { alerts.follow(speed: speed.value, &context) }
    }

    /// Runs the stages that follow the session's meters, at a fix and at a whole second.
    private mutating func processMeters(isMeasured: Bool, _ context: inout StageContext) {
        guard let meters = distance.meters else { return }
        let now = Splits.Context(
            heartRate: heart.integral(at: context.time), altitude: elevation.altitude)
        splits.follow(
            meters: meters, isMeasured: isMeasured, movingTime: pauses.movingTime, now: now,
            &context)
        race.follow(meters: meters, isMeasured: isMeasured, raceKm: profile.raceKm, &context)
        elevation.follow(meters: meters)
    }

    private mutating func processIntervals(isMeasured: Bool, _ context: inout StageContext) {
        guard let plan = profile.intervals, let start = context.times.start else { return }
        if !intervals.isSet { intervals.set(plan, from: intervalMoment(at: start)) }
        intervals.follow(
            to: intervalMoment(at: context.time), isMeasured: isMeasured,
            isPaused: pauses.isManuallyPaused,
            metersPerSecond: pauses.isPaused ? 0 : distance.metersPerSecond, &context)
    }

    func intervalMoment(at time: Timestamp) -> Intervals.Moment {
        Intervals.Moment(
            time: time, meters: distance.meters, heartRate: heart.integral(at: time))
    }
}
