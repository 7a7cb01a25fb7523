import SensorModel

/// One step of the session: its times, and the events that the stages emit in it.
///
/// A step is one sample, one whole second, or a change from outside. Stages share nothing else:
/// they get data of another stage as arguments of their calls.
struct StageContext {
    /// Session time of the sample, or the whole second. For a late sample it is before
    /// ``StageTimes/moment``.
    let time: Timestamp
    let times: StageTimes
    private var events: [StreamEvent] = []
    /// Whether the metrics have changed and must be emitted when the step ends.
    private(set) var owesMetrics = false

    /// Takes over the events until ``giveBack(to:)``, which avoids a copy.
    init(at time: Timestamp, times: StageTimes, taking events: inout [StreamEvent]) {
        self.time = time
        self.times = times
        swap(&self.events, &events)
    }

    /// Ends the step and moves the events back.
    mutating func giveBack(to events: inout [StreamEvent]) {
        swap(&self.events, &events)
    }

    /// Number of events so far, including those of earlier steps.
    var eventCount: Int { events.count }

    /// Emits an event that also changes the metrics.
    mutating func emit(_ kind: StreamEvent.Kind) {
        emitAlone(kind)
        owesMetrics = true
    }

    mutating func emit(_ alert: Alert?) {
        if let alert { emit(.alert(alert)) }
    }

    /// Emits an event that changes no value of the metrics.
    mutating func emitAlone(_ kind: StreamEvent.Kind) {
        events.append(StreamEvent(deviceTime: times.deviceTime(times.now), kind: kind))
    }

    /// Marks the metrics as changed, without an event.
    mutating func oweMetrics() {
        owesMetrics = true
    }
}
