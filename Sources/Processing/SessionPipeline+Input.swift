public import SensorModel

/// The inputs of a session. Each call is one step.
extension SessionPipeline {
    // MARK: Samples

    /// Applies a frame's values: the only place that maps each kind of frame to its step.
    ///
    /// - Parameters:
    ///   - payload: The values; each motion sample is a step of its own.
    ///   - deviceTime: Time of the values, or of the first motion sample.
    ///   - late: Whether the frame belongs to an earlier gap.
    ///   - events: Receives the steps' events at its end.
    public mutating func apply(
        _ payload: Frame.Payload, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        switch payload {
        case .motion(let batch): apply(motion: batch, at: deviceTime, late: late, into: &events)
        case .heartRate(let sample):
            apply(heartRate: sample, at: deviceTime, late: late, into: &events)
        case .location(let location):
            apply(location: location, at: deviceTime, late: late, into: &events)
        case .control(let action):
            apply(control: action, at: deviceTime, late: late, into: &events)
        case .pressure(let hectopascals):
            apply(pressure: hectopascals, at: deviceTime, late: late, into: &events)
        case .status(let status):
            apply(status: status, at: deviceTime, late: late, into: &events)
        case .marker(let text): apply(marker: text, at: deviceTime, late: late, into: &events)
        case .source(let name): apply(source: name, at: deviceTime, late: late, into: &events)
        case .measured(let values):
            apply(measured: values, at: deviceTime, late: late, into: &events)
        // Foreign values say nothing about the moment: a file's laps come when the run is over.
        case .foreign: break
        }
    }

    private mutating func apply(
        motion batch: MotionBatch, at deviceTime: Timestamp, late: Bool,
        into events: inout [StreamEvent]
    ) {
        // A heart rate outside the valid range is dropped, but the motion is kept.
        if let sample = batch.heartRateSample {
            apply(heartRate: sample, at: deviceTime, late: late, into: &events)
        }
        for (index, sample) in batch.samples.enumerated() {
            apply(
                motion: sample, traits: batch.traits, at: batch.time(of: index, from: deviceTime),
                late: late, into: &events)
        }
    }

    public mutating func apply(
        motion sample: MotionSample, traits: MotionTraits, at deviceTime: Timestamp,
        late: Bool = false, into events: inout [StreamEvent]
    ) {
        let admitted = admitMotion(deviceTime, late: late, into: &events)
        guard let sampleTime = admitted else { return }
        guard !late else { return emitDueMetrics(into: &events) }
        let (hasFallen, isActivityDue) = process(sample, traits, at: sampleTime)
        guard hasFallen || isActivityDue || time.owesMetrics else { return }
        var context = context(at: sampleTime, taking: &events)
        process(hasFallen: hasFallen, isActivityDue: isActivityDue, &context)
        end(&context, into: &events)
    }

    public mutating func apply(
        heartRate: HeartRateSample, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        let begun = begin(deviceTime, late: late, claim: .batched, taking: &events)
        guard var context = begun else { return }
        if !late { process(heartRate, &context) }
        end(&context, into: &events)
    }

    public mutating func apply(
        location: Location, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        let (last, measured) = (position.newestTime, position.measuredTime)
        guard var context = begin(deviceTime, late: late, taking: &events) else { return }
        let count = context.eventCount
        if late { process(late: location, &context) } else { process(location, &context) }
        // If fixes are rare, each is shown at once, because a second is a long way.
        let isMeasured = position.measuredTime != measured
        if let before = isMeasured ? measured : last,
            context.time.seconds(since: before) > Self.rareSeconds
        {
            context.oweMetrics()
        }
        end(&context, into: &events)
        Self.putMetricsFirst(in: &events, from: count)
    }

    private static let rareSeconds = 1.5

    /// Moves the metrics with the newest position before the events of the step. They decide
    /// whether the events are hidden, and how much of a lap was hidden.
    private static func putMetricsFirst(in events: inout [StreamEvent], from first: Int) {
        guard events.count > first + 1, case .metrics = events[events.count - 1].kind else {
            return
        }
        events.insert(events.removeLast(), at: first)
    }

    /// - Parameters:
    ///   - hectopascals: Air pressure, 300…1200.
    ///   - deviceTime: Time of the measurement.
    ///   - late: Whether the sample belongs to an earlier gap.
    ///   - events: Receives the step's events at its end.
    public mutating func apply(
        pressure hectopascals: Float, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard let sampleTime = admit(deviceTime, late: late, into: &events) else { return }
        if !late { elevation.add(pressure: Double(hectopascals), at: sampleTime) }
        emitDueMetrics(into: &events)
    }

    public mutating func apply(
        control: ControlAction, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        // A button press needs no confirmation, however long the hole before it.
        let begun = begin(deviceTime, late: late, claim: .certain, taking: &events)
        guard var context = begun else { return }
        let count = context.eventCount
        process(control, &context)
        guard control == .stop else {
            end(&context, into: &events)
            return Self.putMetricsFirst(in: &events, from: count)
        }
        context.giveBack(to: &events)
        end(at: context.times.deviceTime(context.times.moment), into: &events)
    }

    public mutating func apply(
        status: DeviceStatus, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard admit(deviceTime, late: late, into: &events) != nil else { return }
        if !late { device.set(status) }
        emitDueMetrics(into: &events)
    }

    public mutating func apply(
        marker: String, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        let wasUnshown = time.isUnshown
        guard var context = begin(deviceTime, late: late, taking: &events) else { return }
        // A marker is an event of its own and changes no value.
        time.set(unshown: wasUnshown)
        context.emitAlone(.marker(marker))
        end(&context, into: &events)
    }

    /// Sets the source of the heart rates that follow.
    public mutating func apply(
        source: String, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard admit(deviceTime, late: late, into: &events) != nil else { return }
        if !late { heart.set(source: source) }
        emitDueMetrics(into: &events)
    }

    public mutating func apply(
        measured values: MeasuredValues, at deviceTime: Timestamp, late: Bool = false,
        into events: inout [StreamEvent]
    ) {
        guard var context = begin(deviceTime, late: late, taking: &events) else { return }
        if !late { measured.add(values, &context) }
        end(&context, into: &events)
    }

    // MARK: Changes from outside

    /// Sets the profile for all later computation. Earlier results stay.
    public mutating func apply(
        profile: RunnerProfile, at deviceTime: Timestamp, into events: inout [StreamEvent]
    ) {
        let hasNewPlan = profile.intervals != self.profile.intervals
        self.profile = profile
        motion.set(placement: profile.placement)
        distance.set(calibration: profile.strideCalibration)
        heart.set(profile: profile)
        load.set(profile: profile)
        if hasNewPlan {
            intervals.set(
                time.isStarted ? profile.intervals : nil,
                from: intervalMoment(at: time.times.moment))
        }
        guard time.isStarted, !time.isEnded else { return }
        time.oweMetrics()
        emitDueMetrics(into: &events)
    }

    /// The course to follow; `nil` if there is none.
    public var route: CourseRoute? { course.route }

    /// Sets the course to follow. `nil` removes it; the same course continues.
    public mutating func apply(
        route: CourseRoute?, at deviceTime: Timestamp, into events: inout [StreamEvent]
    ) {
        guard !course.follows(route) else { return }
        let wasOff = course.isOffCourse
        course.set(route)
        guard time.isStarted, !time.isEnded else { return }
        var context = context(at: time.times.moment, taking: &events)
        if wasOff { context.emit(.alert(.offCourse(false))) }
        context.oweMetrics()
        end(&context, into: &events)
    }

    /// Records that frames before the next one are missing; they may still arrive late.
    public mutating func noteLostFrames() {
        distance.noteLostFrames()
    }

    /// Emits a gap of sequences that never came. `deviceTime` does not move the clock.
    public mutating func apply(
        gapFrom first: FrameSequence, to last: FrameSequence, at deviceTime: Timestamp,
        into events: inout [StreamEvent]
    ) {
        events.append(StreamEvent(deviceTime: deviceTime, kind: .gap(from: first, to: last)))
    }

    /// Ends the session for good.
    public mutating func end(at deviceTime: Timestamp, into events: inout [StreamEvent]) {
        guard !time.isEnded else { return }
        // No frame comes with an end, so the silence before it is time that passed.
        time.arrived(at: nil)
        _ = admit(deviceTime, late: !time.isStarted, into: &events)
        time.stop()
        emitMetrics(into: &events)
        emit(.ended, into: &events)
    }

    /// Ends the session after a long silence, until the device's next sample. A watch may have been
    /// without a network, or its runner at lunch.
    ///
    /// Like ``applySilence(at:into:)`` it changes neither distance, time nor pauses, because the
    /// device may still report the same period.
    public mutating func rest(at deviceTime: Timestamp, into events: inout [StreamEvent]) {
        guard !time.isEnded else { return }
        guard time.isStarted else { return end(at: deviceTime, into: &events) }
        if time.age(to: time.sessionTime(deviceTime)) { tickAlerts(into: &events) }
        time.rest()
        emitMetrics(into: &events)
        emit(.ended, into: &events)
    }

    // MARK: Time

    /// Sets the arrival time of the next live frame, by the daemon's clock. Frames of a file have
    /// none.
    public mutating func arrived(at arrival: Timestamp) {
        time.arrived(at: arrival)
    }

    /// Ticks the seconds up to `deviceTime`, as the next sample would, which must not be earlier.
    /// For callers that read every second between two samples.
    public mutating func advance(to deviceTime: Timestamp, into events: inout [StreamEvent]) {
        guard !time.isEnded, time.isStarted else { return }
        let reached = time.sessionTime(deviceTime)
        guard reached > time.times.moment else { return }
        tickSeconds(to: reached, into: &events)
        time.pass(to: reached)
    }

    /// Handles silence: `deviceTime` is the estimated time of the device's clock.
    ///
    /// It only ages values, updates the state and ends an alert's countdown. It never changes
    /// distance, time or pauses, because the device may still report the same period.
    public mutating func applySilence(
        at deviceTime: Timestamp, into events: inout [StreamEvent]
    ) {
        guard !time.isEnded, time.isStarted, time.age(to: time.sessionTime(deviceTime)) else {
            return
        }
        tickAlerts(into: &events)
        // Metrics that are due stay due: the next sample emits them with its own time.
        time.set(unshown: false)
        emit(.metrics(metrics), into: &events)
    }

    private mutating func tickAlerts(into events: inout [StreamEvent]) {
        var context = context(at: time.times.moment, taking: &events)
        alerts.tickWindows(profile: profile, &context)
        giveBack(&context, to: &events)
    }

    // MARK: State

    /// Number of heart rates that were left out because they changed too fast to be plausible.
    public var doubtedHeartRates: Int { heart.doubtedCount }

    /// Device time of the newest accepted sample; `nil` before the first.
    public var newestDeviceTime: Timestamp? { time.newestDeviceTime }

    /// Whether a sample with this time would count as current.
    public func believes(_ deviceTime: Timestamp) -> Bool { time.believes(deviceTime) }

    /// Elapsed seconds at a device time, by the current setting of the device's clock.
    public func elapsedSeconds(at deviceTime: Timestamp) -> Double {
        time.times.elapsedSeconds(until: time.sessionTime(deviceTime))
    }
}
