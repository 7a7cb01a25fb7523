import SensorModel

extension SessionPipeline {
    var elapsedSeconds: Double { elapsedSeconds(until: moment) }

    /// Of the session until `time`, which is session time; 0 before the first sample.
    func elapsedSeconds(until time: Timestamp) -> Double {
        clock.start.map { time.seconds(since: $0) } ?? 0
    }

    var pausedSeconds: Double {
        clock.start == nil ? 0 : movingTime.pausedSeconds(until: moment)
    }

    var movingSeconds: Double { elapsedSeconds - pausedSeconds }

    // MARK: Automatic

    mutating func follow(
        _ transition: AutoPause.Transition?, into events: inout [StreamEvent]
    ) {
        switch transition {
        case .paused(let since): pause(since: since, automatic: true, into: &events)
        case .resumed(let since): resume(since: since, automatic: true, into: &events)
        case .wasPaused(let from, let to):
            wasPaused(from: from, to: to, into: &events)
        case nil: break
        }
        if movingTime.isPaused { return }
        if autoPause.isSuspecting { distance.hold() } else { distance.release() }
    }

    mutating func follow(
        _ transition: ReferenceAutoPause.Transition?, into events: inout [StreamEvent]
    ) {
        switch transition {
        case .paused(let since): pause(since: since, automatic: true, into: &events)
        case .resumed(let since): resume(since: since, automatic: true, into: &events)
        case nil: break
        }
        if movingTime.isPaused { return }
        if referencePause.slowSince != nil { distance.hold() } else { distance.release() }
    }

    private mutating func pause(
        since: Timestamp, automatic: Bool, into events: inout [StreamEvent]
    ) {
        guard let start = clock.start else { return }
        let began = movingTime.begin(since: max(since, start), automatic: automatic)
        distance.drop()
        let since = clock.deviceTime(began)
        emit(.paused(since: since, automatic: automatic), into: &events)
        if began < moment {
            let shown = clock.deviceTime(moment)
            emit(.correction(.pauseBegan(shown: shown, since: since)), into: &events)
        }
        owesMetrics = true
        correctSplits(into: &events)
    }

    private mutating func resume(
        since: Timestamp, automatic: Bool, into events: inout [StreamEvent]
    ) {
        guard let pause = movingTime.end(at: min(since, moment)) else { return }
        distance.release()
        let since = clock.deviceTime(pause.end)
        emit(.resumed(since: since, automatic: automatic), into: &events)
        if pause.end < moment {
            let shown = clock.deviceTime(moment)
            emit(.correction(.pauseEnded(shown: shown, since: since)), into: &events)
        }
        owesMetrics = true
        correctSplits(into: &events)
    }

    private mutating func wasPaused(
        from: Timestamp, to: Timestamp, into events: inout [StreamEvent]
    ) {
        guard let pause = movingTime.insert(start: from, end: to, automatic: true) else { return }
        emit(.paused(since: clock.deviceTime(pause.start), automatic: true), into: &events)
        emit(.resumed(since: clock.deviceTime(pause.end), automatic: true), into: &events)
        owesMetrics = true
        correctSplits(into: &events)
    }

    private mutating func correctSplits(into events: inout [StreamEvent]) {
        for split in splits.corrected(by: movingTime) {
            emit(.correction(.split(split)), into: &events)
        }
    }

    // MARK: Manual

    mutating func note(
        _ control: ControlAction, at time: Timestamp, into events: inout [StreamEvent]
    ) {
        followIntervals(to: time, into: &events)
        switch control {
        case .start, .resume:
            guard isManuallyPaused else { return }
            isManuallyPaused = false
            noMovement.paused(until: time)
            resetAutomatic()
            if let open = movingTime.open { pauseByHand = (open.start, time) }
            distance.skip(toSteps: steps(at: time))
            resume(since: time, automatic: false, into: &events)
        case .pause:
            guard !isManuallyPaused else { return }
            isManuallyPaused = true
            resetAutomatic()
            pause(since: time, automatic: false, into: &events)
        case .lap:
            let lap = laps.mark(
                movingSeconds: movingSeconds, meters: distance.meters,
                heartRate: heartTotals.integral(at: moment))
            emit(.lap(lap), into: &events)
            owesMetrics = true
        case .stop:
            end(at: clock.deviceTime(moment), into: &events)
        case .sos: raise(\.sos, into: &events)
        case .cancelAlert: cancelAlerts(into: &events)
        }
    }

    private mutating func resetAutomatic() {
        autoPause.reset()
        referencePause.reset()
    }
}
