import SensorModel

/// Detects manual and automatic pauses, and computes the moving time between them.
///
/// - In: activity, steps of the track, whole seconds, the wearer's buttons.
/// - Out: ``Outcome``; moving time. Emits `paused` and `resumed`.
struct PauseStage: Sendable {
    /// The effect of a step on the distance and on the splits.
    struct Outcome: Sendable {
        enum Change: Sendable {
            case began, ended
            /// A pause detected only after its end.
            case inserted
        }

        /// The change of a pause; `nil` if there is none.
        var change: Change?
        /// Whether the runner may be standing; `nil` while paused, or if it was not checked.
        var isSuspected: Bool?
        /// Whether the runner moved in the step.
        var isMoving: Bool
        /// Meters that a pause withheld although the runner had moved before this step.
        var metersBack = 0.0
    }

    private(set) var movingTime = MovingTime()
    private(set) var isManuallyPaused = false
    private var autoPause = AutoPause()
    private var referencePause = ReferenceAutoPause()
    /// Start and end of the last manual pause; `nil` once the path continues after it.
    private var pauseByHand: (start: Timestamp, end: Timestamp)?

    var isPaused: Bool { movingTime.isPaused }

    /// Whether motion or position indicates a possible stop.
    var isSuspecting: Bool { autoPause.isSuspecting }

    /// Returns whether a still body counts as a stop by now; checked at every motion sample.
    @inline(__always)
    func isStillDue(at time: Timestamp) -> Bool {
        autoPause.stillDeadline.map { time >= $0 } ?? false
    }

    // MARK: Automatic

    /// - Parameters:
    ///   - activity: Activity of the body.
    ///   - time: Time of its last motion sample.
    ///   - method: The current method; only the fused one uses motion.
    ///   - context: Context of the step.
    /// - Returns: The effect for later stages.
    mutating func update(
        activity: MotionActivity, at time: Timestamp, method: RunnerProfile.AutoPauseMethod,
        _ context: inout StageContext
    ) -> Outcome {
        guard method == .fused, !isManuallyPaused else { return unjudged }
        return follow(autoPause.update(activity: activity, at: time), &context)
    }

    mutating func update(
        step: FixGate.Step, scatterMeters: Double, method: RunnerProfile.AutoPauseMethod,
        _ context: inout StageContext
    ) -> Outcome {
        guard !isManuallyPaused else { return unjudged }
        switch method {
        case .fused:
            return follow(autoPause.update(step: step, scatterMeters: scatterMeters), &context)
        case .reference:
            return follow(
                referencePause.update(speed: step.location.speed, at: step.to), &context)
        case .off: return unjudged
        }
    }

    /// - Parameters:
    ///   - method: The current method.
    ///   - holeSeconds: Usual seconds without a fix of this source.
    ///   - context: Context of the whole second.
    /// - Returns: The effect for later stages.
    mutating func tick(
        method: RunnerProfile.AutoPauseMethod, holeSeconds: Double, _ context: inout StageContext
    ) -> Outcome {
        guard !isManuallyPaused else { return unjudged }
        switch method {
        case .fused:
            return follow(autoPause.tick(at: context.time, holeSeconds: holeSeconds), &context)
        case .reference:
            return follow(
                referencePause.tick(at: context.time, usualSeconds: holeSeconds), &context)
        case .off: return unjudged
        }
    }

    private var unjudged: Outcome {
        Outcome(change: nil, isSuspected: nil, isMoving: !isPaused)
    }

    private mutating func follow(
        _ transition: AutoPause.Transition?, _ context: inout StageContext
    ) -> Outcome {
        var change: Outcome.Change?
        var wasPaused = false
        switch transition {
        case .paused(let since): change = begin(since: since, automatic: true, &context)
        case .resumed(let since): change = end(since: since, automatic: true, &context)
        case .wasPaused(let from, let to):
            change = insert(from: from, to: to, &context)
            wasPaused = true
        case nil: break
        }
        return Outcome(
            change: change, isSuspected: isPaused ? nil : autoPause.isSuspecting,
            isMoving: !isPaused && !wasPaused,
            metersBack: change == .ended ? autoPause.metersBack : 0)
    }

    private mutating func follow(
        _ transition: ReferenceAutoPause.Transition?, _ context: inout StageContext
    ) -> Outcome {
        var change: Outcome.Change?
        switch transition {
        case .paused(let since): change = begin(since: since, automatic: true, &context)
        case .resumed(let since): change = end(since: since, automatic: true, &context)
        case nil: break
        }
        return Outcome(
            change: change, isSuspected: isPaused ? nil : referencePause.slowSince != nil,
            isMoving: !isPaused)
    }

    // MARK: Manual

    /// - Returns: The effect; `nil` if the wearer has already paused.
    mutating func pause(_ context: inout StageContext) -> Outcome? {
        guard !isManuallyPaused else { return nil }
        isManuallyPaused = true
        resetAutomatic()
        let change = begin(since: context.time, automatic: false, &context)
        return Outcome(change: change, isSuspected: nil, isMoving: false)
    }

    /// - Returns: The effect; `nil` if the wearer has not paused.
    mutating func resume(_ context: inout StageContext) -> Outcome? {
        guard isManuallyPaused else { return nil }
        isManuallyPaused = false
        resetAutomatic()
        if let open = movingTime.open { pauseByHand = (open.start, context.time) }
        let change = end(since: context.time, automatic: false, &context)
        return Outcome(change: change, isSuspected: nil, isMoving: true)
    }

    private mutating func resetAutomatic() {
        autoPause.reset()
        referencePause.reset()
    }

    /// Excludes the time of a manual pause from a step. Watches stop their receiver in a manual
    /// pause, and the wearer's path meanwhile does not count. The step is credited only for the
    /// time outside the pause.
    ///
    /// - Returns: Whether the step contains a pause.
    mutating func leaveOutPause(of step: inout FixGate.Step) -> Bool {
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

    // MARK: Changes

    private mutating func begin(
        since: Timestamp, automatic: Bool, _ context: inout StageContext
    ) -> Outcome.Change? {
        guard let start = context.times.start else { return nil }
        let began = movingTime.begin(since: max(since, start), automatic: automatic)
        let since = context.times.deviceTime(began)
        context.emit(.paused(since: since, automatic: automatic))
        let moment = context.times.moment
        if began < moment {
            let shown = context.times.deviceTime(moment)
            context.emit(.correction(.pauseBegan(shown: shown, since: since)))
        }
        return .began
    }

    private mutating func end(
        since: Timestamp, automatic: Bool, _ context: inout StageContext
    ) -> Outcome.Change? {
        let moment = context.times.moment
        guard let pause = movingTime.end(at: min(since, moment)) else { return nil }
        let since = context.times.deviceTime(pause.end)
        context.emit(.resumed(since: since, automatic: automatic))
        if pause.end < moment {
            let shown = context.times.deviceTime(moment)
            context.emit(.correction(.pauseEnded(shown: shown, since: since)))
        }
        return .ended
    }

    private mutating func insert(
        from: Timestamp, to: Timestamp, _ context: inout StageContext
    ) -> Outcome.Change? {
        let times = context.times
        // Fixes before the session's start, from a watch that sets its clock later, are no pause.
        let start = max(from, times.start ?? from)
        guard let pause = movingTime.insert(start: start, end: to, automatic: true) else {
            return nil
        }
        context.emit(.paused(since: times.deviceTime(pause.start), automatic: true))
        context.emit(.resumed(since: times.deviceTime(pause.end), automatic: true))
        return .inserted
    }

    // MARK: Metrics

    /// Moving time, in seconds: elapsed minus paused.
    func movingSeconds(at times: StageTimes) -> Double {
        times.elapsedSeconds(until: times.moment) - movingTime.pausedSeconds(until: times.moment)
    }

    func show(in shown: inout Metrics, at times: StageTimes) {
        shown.pausedSeconds = movingTime.pausedSeconds(until: times.moment)
        shown.movingSeconds = shown.elapsedSeconds - shown.pausedSeconds
        shown.manuallyPaused = isManuallyPaused
        shown.autoPaused = isPaused && !isManuallyPaused
    }
}
