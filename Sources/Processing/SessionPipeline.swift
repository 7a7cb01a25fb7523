public import SensorModel

/// All processors of one session, in their fixed order.
///
/// Pure: the same calls give the same events, byte for byte, which is what makes a replay a proof.
/// Nothing here knows a clock, a socket or a log.
///
///     sample → clock → ticks of the seconds passed → its processors → events, one metrics a second
///
/// Ticks fall on whole seconds of device time, so a backlog, a replay and a live run agree. The
/// metrics of a second are sent with the first sample in it, so that a source that speaks once a
/// second is shown at once. `late: true` marks a sample that belongs into an earlier gap: it never
/// moves the session's time.
public struct SessionPipeline: Sendable {
    /// Changes whenever the same samples give other events.
    public static let algorithmVersion: UInt16 = 11

    var profile: RunnerProfile
    var zones: ZoneBounds
    /// Five zones by percent of maximum, for load.
    var loadZones: ZoneBounds

    // Time
    var clock = SessionClock()
    var movingTime = MovingTime()
    /// Session time that everything is computed for.
    var moment = Timestamp(microseconds: .min)
    /// Session time of the newest sample.
    var heardAt = Timestamp(microseconds: .min)
    /// How far silence has aged what is shown; not before ``moment``.
    var shownAt = Timestamp(microseconds: .min)
    /// Session time of the next whole second of device time.
    var nextSecond = Timestamp(microseconds: .min)
    /// Metrics are owed: a second began, or a state changed.
    var owesMetrics = false
    /// A sample came that no metrics were sent after.
    var isUnshown = false
    var isEnded = false

    // Motion
    var cadence: CadenceProcessor
    /// Steps counted before the sensor's place was last changed.
    var earlierSteps = 0
    var activity = MotionActivity(kind: .unknown, since: nil)
    var newestMotion: Timestamp?
    var cadenceMean = MeanCadence()

    // Position
    var gate = FixGate()
    var distance: Distance
    var speed = SpeedEstimate()
    var elevation = Elevation()
    var grade = Grade()
    var splits = Splits()
    var lateFixes = LateFixes()
    var laps = Laps()
    var newestFix: (location: Location, time: Timestamp)?
    var isFirstSplitPending = true
    var course: CourseTracker?

    // Pauses
    var autoPause = AutoPause()
    var referencePause = ReferenceAutoPause()
    var isManuallyPaused = false
    /// When the last pause by hand began and ended; `nil` once the way goes on after it.
    var pauseByHand: (start: Timestamp, end: Timestamp)?

    // Heart
    var heartSources = HeartRateSources()
    var heartTotals = HeartRateTotals()
    var sourceName: String?
    var shownSource: String?
    var zone: Int?
    var cadenceLock = CadenceLock()
    var stress = TrainingStress()
    var targetZone = TargetZone()
    var decoupling = Decoupling()
    var finish = FinishEstimator()
    var intervals: Intervals?

    // Alerts
    var zoneDrift = ZoneDrift()
    var paceAlert = PaceAlert()
    var fallDetector = FallDetector()
    var noMovement = NoMovement()
    var fall = CancelWindow(.fall)
    var standing = CancelWindow(.noMovement)
    var safetyTimer = CancelWindow(.safetyTimer)
    var sos = CancelWindow(.sos)
    var safetyTimerRaised = false
    var status: DeviceStatus?

    public init(profile: RunnerProfile) {
        self.profile = profile
        zones = ZoneBounds(profile: profile)
        loadZones = Self.loadZones(of: profile)
        cadence = CadenceProcessor(placement: profile.placement)
        distance = Distance(calibration: profile.strideCalibration)
    }

    static func loadZones(of profile: RunnerProfile) -> ZoneBounds {
        var plain = profile
        plain.zones = .percentOfMaximum
        return ZoneBounds(profile: plain)
    }

    var steps: Int { earlierSteps + cadence.steps }

    func steps(at time: Timestamp) -> Double { Double(earlierSteps) + cadence.steps(at: time) }

    // MARK: Samples

    /// What was computed so far stays; what comes is computed with the new profile.
    public mutating func apply(
        profile: RunnerProfile, at deviceTime: Timestamp, into events: inout [StreamEvent]
    ) {
        if profile.placement != self.profile.placement {
            earlierSteps += cadence.steps
            cadence = CadenceProcessor(placement: profile.placement)
        }
        let hasNewPlan = profile.intervals != self.profile.intervals
        self.profile = profile
        zones = ZoneBounds(profile: profile)
        loadZones = Self.loadZones(of: profile)
        if hasNewPlan { setIntervals(clock.start == nil ? nil : profile.intervals, at: moment) }
        distance.set(calibration: profile.strideCalibration)
        guard clock.start != nil, !isEnded else { return }
        owesMetrics = true
        settle(into: &events)
    }

    public mutating func apply(
        motion: MotionSample, traits: MotionTraits, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard let time = admitMotion(deviceTime, late: late, into: &events) else { return }
        guard !late else { return settle(into: &events) }
        cadence.update(motion, traits: traits, at: time)
        newestMotion = time
        if fallDetector.update(motion, traits: traits, at: time) {
            raise(\.fall, into: &events)
        }
        if cadence.activity != activity || (autoPause.stillDeadline.map { time >= $0 } ?? false) {
            noteActivity(at: time, into: &events)
        }
        if owesMetrics { settle(into: &events) }
    }

    public mutating func apply(
        heartRate: HeartRateSample, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard let time = admit(deviceTime, late: late, into: &events) else { return }
        if !late { noteHeartRate(heartRate, at: time, into: &events) }
        settle(into: &events)
    }

    public mutating func apply(
        location: Location, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard let time = admit(deviceTime, late: late, into: &events) else { return }
        if late {
            noteLate(location, at: time, into: &events)
        } else {
            noteLocation(location, at: time, into: &events)
        }
        settle(into: &events)
    }

    /// - Parameters:
    ///   - hectopascals: Air pressure, 300…1200.
    ///   - deviceTime: When it was measured.
    ///   - late: Belongs into an earlier gap.
    ///   - events: What follows from it is appended.
    public mutating func apply(
        pressure hectopascals: Float, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard let time = admit(deviceTime, late: late, into: &events) else { return }
        if !late { elevation.add(pressure: Double(hectopascals), at: time) }
        settle(into: &events)
    }

    public mutating func apply(
        control: ControlAction, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        // Somebody pressed a button: that is believed at once, whatever the hole before it.
        let admitted = admit(deviceTime, late: late, isCertain: true, into: &events)
        guard let time = admitted else { return }
        note(control, at: time, into: &events)
        settle(into: &events)
    }

    public mutating func apply(
        status: DeviceStatus, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard admit(deviceTime, late: late, into: &events) != nil else { return }
        if !late { self.status = status }
        settle(into: &events)
    }

    public mutating func apply(
        marker: String, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        let wasUnshown = isUnshown
        guard admit(deviceTime, late: late, into: &events) != nil else { return }
        // It shows itself, and changes no value.
        isUnshown = wasUnshown
        emit(.marker(marker), into: &events)
        settle(into: &events)
    }

    /// Names where the heart rates that follow come from.
    public mutating func apply(
        source: String, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard admit(deviceTime, late: late, into: &events) != nil else { return }
        if !late { sourceName = source }
        settle(into: &events)
    }

    /// Frames before the next one are missing; they may yet come, late.
    public mutating func noteLostFrames() {
        lateFixes.noteLostFrames()
    }

    /// Sequences that never came. Says nothing about the clock: `deviceTime` is only its stamp.
    public mutating func apply(
        gapFrom first: FrameSequence, to last: FrameSequence, at deviceTime: Timestamp,
        into events: inout [StreamEvent]
    ) {
        events.append(StreamEvent(deviceTime: deviceTime, kind: .gap(from: first, to: last)))
    }

    /// The course to follow; `nil` takes it away, the same one goes on.
    public mutating func apply(
        course: Course?, at deviceTime: Timestamp, into events: inout [StreamEvent]
    ) {
        guard course != self.course?.course else { return }
        let wasOff = self.course?.isOffCourse == true
        self.course = course.flatMap { CourseTracker($0, after: self.course) }
        guard clock.start != nil, !isEnded else { return }
        if wasOff { emit(.alert(.offCourse(false)), into: &events) }
        owesMetrics = true
        settle(into: &events)
    }

    public mutating func end(at deviceTime: Timestamp, into events: inout [StreamEvent]) {
        guard !isEnded else { return }
        // No frame: silence before an end is time that passed.
        clock.arrival = nil
        _ = admit(deviceTime, late: clock.start == nil, into: &events)
        isEnded = true
        emitMetrics(into: &events)
        emit(.ended, into: &events)
    }
}
