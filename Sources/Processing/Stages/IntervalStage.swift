import SensorModel

/// Follows the runner's plan, phase by phase.
///
/// - In: time, meters, heart rate, speed, manual pauses.
/// - Out: nothing. Emits `intervalStarted`, `intervalEnding` and `intervalEnded`.
struct IntervalStage: Sendable {
    private var intervals: Intervals?

    var isSet: Bool { intervals != nil }

    /// Restarts the plan at `moment`; `nil` removes it.
    mutating func set(_ plan: IntervalPlan?, from moment: Intervals.Moment) {
        intervals = plan.map { Intervals(plan: $0, from: moment) }
    }

    mutating func note(beatsPerMinute: Double) {
        intervals?.note(beatsPerMinute: beatsPerMinute)
    }

    /// - Parameters:
    ///   - moment: Current values.
    ///   - isMeasured: Whether a fix measured the meters; a tick without new meters gives no
    ///     information.
    ///   - isPaused: Whether a manual pause is active.
    ///   - metersPerSecond: Speed; `nil` while unknown.
    ///   - context: Context of the step.
    mutating func follow(
        to moment: Intervals.Moment, isMeasured: Bool, isPaused: Bool, metersPerSecond: Double?,
        _ context: inout StageContext
    ) {
        let changes =
            intervals?.update(
                to: moment, isMeasured: isMeasured, isPaused: isPaused, speed: metersPerSecond)
            ?? []
        for change in changes { emit(change, &context) }
    }

    private func emit(_ change: Intervals.Change, _ context: inout StageContext) {
        switch change {
        case .started(var started):
            started.since = context.times.deviceTime(started.since)
            context.emit(.intervalStarted(started))
        case .ending(let number, let seconds):
            context.emit(.intervalEnding(number: number, seconds: seconds))
        case .ended(var interval):
            interval.start = context.times.deviceTime(interval.start)
            interval.end = context.times.deviceTime(interval.end)
            context.emit(.intervalEnded(interval))
        }
    }

    func show(in shown: inout Metrics) {
        shown.interval = intervals?.progress
    }
}
