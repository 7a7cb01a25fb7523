import SensorModel

/// The start and the end of a step.
extension SessionPipeline {
    /// Advances the session's time to the sample's, second by second.
    ///
    /// - Returns: Session time of the sample; `nil` if it is not accepted or the session is over.
    mutating func admit(
        _ deviceTime: Timestamp, late: Bool, claim: SessionClock.Claim = .usual,
        into events: inout [StreamEvent]
    ) -> Timestamp? {
        switch time.arrive(deviceTime, late: late, claim: claim) {
        case .doubted: return nil
        case .behind(let sampleTime): return sampleTime
        case .current(let sampleTime):
            if time.passesSecond(until: sampleTime) {
                tickSeconds(to: sampleTime, into: &events)
                time.startSecond(at: sampleTime)
            }
            time.reach(sampleTime)
            return sampleTime
        }
    }

    /// Fast path for a sample within the same second as the last one.
    @inline(__always)
    mutating func admitMotion(
        _ deviceTime: Timestamp, late: Bool, into events: inout [StreamEvent]
    ) -> Timestamp? {
        if !late, let sampleTime = time.advance(to: deviceTime) { return sampleTime }
        return admit(deviceTime, late: late, into: &events)
    }

    /// Ticks the seconds before a sample. The events of a quiet hole get the sample's time, at which
    /// they became known, and metrics come with the sample.
    mutating func tickSeconds(to sampleTime: Timestamp, into events: inout [StreamEvent]) {
        let count = events.count
        let isQuiet = time.isQuietHole(before: sampleTime)
        while time.passesSecond(until: sampleTime) {
            time.beginTick()
            var context = context(at: time.times.moment, taking: &events)
            tick(&context)
            giveBack(&context, to: &events)
            if time.endTick(before: sampleTime), !isQuiet { emitMetrics(into: &events) }
        }
        guard isQuiet else { return }
        let known = time.times.deviceTime(sampleTime)
        for index in count..<events.count { events[index].deviceTime = known }
    }

    // MARK: Context

    /// - Returns: The context; `nil` if the sample is not accepted or the session is over.
    mutating func begin(
        _ deviceTime: Timestamp, late: Bool, claim: SessionClock.Claim = .usual,
        taking events: inout [StreamEvent]
    ) -> StageContext? {
        let admitted = admit(deviceTime, late: late, claim: claim, into: &events)
        return admitted.map { context(at: $0, taking: &events) }
    }

    func context(at sampleTime: Timestamp, taking events: inout [StreamEvent]) -> StageContext {
        StageContext(at: sampleTime, times: time.times, taking: &events)
    }

    /// Ends a step whose metrics are emitted later.
    mutating func giveBack(_ context: inout StageContext, to events: inout [StreamEvent]) {
        context.giveBack(to: &events)
        if context.owesMetrics { time.oweMetrics() }
    }

    /// Ends a step and emits the metrics that are due.
    mutating func end(_ context: inout StageContext, into events: inout [StreamEvent]) {
        giveBack(&context, to: &events)
        emitDueMetrics(into: &events)
    }

    // MARK: Events

    mutating func emitDueMetrics(into events: inout [StreamEvent]) {
        guard time.owesMetrics, !time.isEnded else { return }
        emitMetrics(into: &events)
    }

    mutating func emitMetrics(into events: inout [StreamEvent]) {
        time.noteShown()
        emit(.metrics(metrics), into: &events)
    }

    func emit(_ kind: StreamEvent.Kind, into events: inout [StreamEvent]) {
        let times = time.times
        events.append(StreamEvent(deviceTime: times.deviceTime(times.now), kind: kind))
    }
}
