import SensorModel

/// Alerts for help or advice.
///
/// - In: motion samples, activity, speed, meters, pace, zone, manual pauses, buttons, silence.
/// - Out: the active alerts. Emits `alert`.
struct AlertStage: Sendable {
    private var zoneDrift = ZoneDrift()
    private var paceAlert = PaceAlert()
    private var fallDetector = FallDetector()
    private var noMovement = NoMovement()
    private var fall = CancelWindow(.fall)
    private var standing = CancelWindow(.noMovement)
    private var safetyTimer = CancelWindow(.safetyTimer)
    private var sos = CancelWindow(.sos)
    private var safetyTimerRaised = false

    // MARK: Samples

    /// - Returns: Whether this sample completes a fall.
    @inline(__always)
    mutating func detectFall(
        _ sample: MotionSample, traits: MotionTraits, at time: Timestamp
    ) -> Bool {
        fallDetector.update(sample, traits: traits, at: time)
    }

    mutating func raiseFall(_ context: inout StageContext) {
        Self.emit(fall.raise(at: context.times.now), to: &context)
    }

    mutating func raiseSOS(_ context: inout StageContext) {
        Self.emit(sos.raise(at: context.times.now), to: &context)
    }

    /// Emits a raised alert with the end of its window by the device's clock.
    private static func emit(_ alert: Alert?, to context: inout StageContext) {
        guard var raised = alert else { return }
        raised.cancelBefore = raised.cancelBefore.map(context.times.deviceTime)
        context.emit(raised)
    }

    /// Counts steps as movement.
    mutating func follow(
        _ activity: MotionActivity, at time: Timestamp, _ context: inout StageContext
    ) {
        guard activity.kind.isSteps else { return }
        noMovement.moved(at: time)
        clearStanding(&context)
    }

    /// Uses the speed at a fix as a sign of movement; `nil` if unknown.
    mutating func follow(speed metersPerSecond: Double?, _ context: inout StageContext) {
        noMovement.note(speed: metersPerSecond, at: context.time)
        if !noMovement.isStanding { clearStanding(&context) }
    }

    /// Handles the end of a manual pause at `time`.
    mutating func resume(at time: Timestamp) {
        noMovement.paused(until: time)
    }

    private mutating func clearStanding(_ context: inout StageContext) {
        if standing.isActive { context.emit(standing.clear()) }
    }

    /// Cancels all raised alerts at the wearer's request.
    mutating func cancel(_ context: inout StageContext) {
        let now = context.times.now
        context.emit(fall.cancel(at: now))
        context.emit(standing.cancel(at: now))
        context.emit(safetyTimer.cancel(at: now))
        context.emit(sos.cancel(at: now))
        context.emit(zoneDrift.dismiss(at: now))
    }

    // MARK: Whole seconds and silence

    /// Ends windows and the safety timer, even while the device is silent, because silence may be
    /// the reason for the timer.
    mutating func tickWindows(profile: RunnerProfile, _ context: inout StageContext) {
        let now = context.times.now
        context.emit(fall.tick(at: now))
        context.emit(standing.tick(at: now))
        context.emit(safetyTimer.tick(at: now))
        context.emit(sos.tick(at: now))
        let deadline = safetyDeadline(profile: profile, start: context.times.start)
        guard let deadline, now >= deadline else { return }
        safetyTimerRaised = true
        Self.emit(safetyTimer.raise(at: now), to: &context)
    }

    /// End of the safety timer; `nil` without a timer, or after it has fired.
    private func safetyDeadline(profile: RunnerProfile, start: Timestamp?) -> Timestamp? {
        guard let start, let limit = profile.safetyTimerSeconds, !safetyTimerRaised else {
            return nil
        }
        return start.advanced(bySeconds: limit)
    }

    /// The inputs of a whole second.
    struct Second: Sendable {
        /// Zone of the live heart rate; `nil` if there is none.
        var liveZone: Int?
        /// Meters of the session; `nil` while unknown or paused.
        var movingMeters: Double?
        var paceSecondsPerKm: Double?
        var isManuallyPaused: Bool
    }

    mutating func tick(
        _ second: Second, profile: RunnerProfile, _ context: inout StageContext
    ) {
        tickWindows(profile: profile, &context)
        let time = context.time
        context.emit(
            zoneDrift.tick(
                zone: second.liveZone, target: profile.targetZone, seconds: 1, at: time))
        let isHeard = time.seconds(since: context.times.heardAt) <= TimeStage.staleSeconds
        if noMovement.tick(at: time, manuallyPaused: second.isManuallyPaused, isHeard: isHeard) {
            Self.emit(standing.raise(at: context.times.now), to: &context)
        }
        if let meters = second.movingMeters {
            context.emit(
                paceAlert.update(
                    pace: second.paceSecondsPerKm, target: profile.targetPaceSecondsPerKm,
                    meters: meters, at: time))
        }
    }

    // MARK: Metrics

    func addDeadlines(
        to deadline: inout SilenceDeadline, profile: RunnerProfile, start: Timestamp?
    ) {
        deadline.add(fall.deadline)
        deadline.add(standing.deadline)
        deadline.add(safetyTimer.deadline)
        deadline.add(sos.deadline)
        deadline.add(safetyDeadline(profile: profile, start: start))
    }

    func show(in shown: inout Metrics, isOffCourse: Bool) {
        if zoneDrift.isActive { shown.activeAlerts.append(.zoneDrift) }
        if paceAlert.isActive { shown.activeAlerts.append(.pace) }
        if fall.isActive { shown.activeAlerts.append(fall.kind) }
        if standing.isActive { shown.activeAlerts.append(standing.kind) }
        if safetyTimer.isActive { shown.activeAlerts.append(safetyTimer.kind) }
        if sos.isActive { shown.activeAlerts.append(sos.kind) }
        if isOffCourse { shown.activeAlerts.append(.offCourse) }
    }
}
