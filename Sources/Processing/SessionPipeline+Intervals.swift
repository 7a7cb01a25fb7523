import SensorModel

extension SessionPipeline {
    /// The plan begins anew when it is another; the first with the session.
    mutating func setIntervals(_ plan: IntervalPlan?, at time: Timestamp) {
        intervals = plan.map {
            Intervals(
                plan: $0,
                from: Intervals.Moment(
                    time: time, meters: distance.meters,
                    heartRate: heartTotals.integral(at: time)))
        }
    }

    /// At each whole second and each fix.
    mutating func followIntervals(
        to time: Timestamp, isMeasured: Bool = true, into events: inout [StreamEvent]
    ) {
        guard let plan = profile.intervals, let start = clock.start else { return }
        if intervals == nil { setIntervals(plan, at: start) }
        let now = Intervals.Moment(
            time: time, meters: distance.meters, heartRate: heartTotals.integral(at: time))
        let changes =
            intervals?.update(
                to: now, isMeasured: isMeasured, isPaused: isManuallyPaused,
                speed: movingTime.isPaused ? 0 : speed.metersPerSecond) ?? []
        for change in changes { emit(change, into: &events) }
        if !changes.isEmpty { owesMetrics = true }
    }

    private func emit(_ change: Intervals.Change, into events: inout [StreamEvent]) {
        switch change {
        case .started(var started):
            started.since = clock.deviceTime(started.since)
            emit(.intervalStarted(started), into: &events)
        case .ending(let number, let seconds):
            emit(.intervalEnding(number: number, seconds: seconds), into: &events)
        case .ended(var interval):
            interval.start = clock.deviceTime(interval.start)
            interval.end = clock.deviceTime(interval.end)
            emit(.intervalEnded(interval), into: &events)
        }
    }
}
