import SensorModel
import Testing

@testable import Sharing

@Suite struct RunBreaksTests {
    private static func live(
        elapsed: Double, device: Double, _ state: ValueState = .live, silent isSilent: Bool = false
    ) -> StreamEvent {
        var metrics = Fixture.fullMetrics()
        if isSilent { metrics.state = .stale }
        metrics.elapsedSeconds = elapsed
        metrics.position?.state = state
        return Fixture.metricsEvent(device, metrics)
    }

    private static let ended = StreamEvent(deviceTime: Fixture.time(0), kind: .ended)

    private static func ended(elapsed: Double) -> StreamEvent {
        var metrics = Fixture.fullMetrics()
        metrics.elapsedSeconds = elapsed
        metrics.state = .ended
        metrics.position?.state = .ended
        return Fixture.metricsEvent(elapsed, metrics)
    }

    /// Each row has the events after a live position at second 0, and what the last one is. Events
    /// arrive at their device time, unless a row says otherwise.
    private static let rows: [(String, [StreamEvent], RunBreaks.Step)] = [
        ("the next second", [live(elapsed: 1, device: 1)], .none),
        ("just short of a minute", [live(elapsed: 59, device: 59)], .none),
        ("a minute without an event", [live(elapsed: 60, device: 60)], .resumes),
        ("a marker after it", [marker(60)], .resumes),
        ("stale metrics after it", [live(elapsed: 60, device: 60, silent: true)], .none),
        (
            "what the device sends after stale metrics",
            [live(elapsed: 59, device: 59, silent: true), live(elapsed: 60, device: 60)], .resumes
        ),
        ("just short of ten minutes", [live(elapsed: 599, device: 599)], .resumes),
        ("ten minutes without an event", [live(elapsed: 600, device: 600)], .begins),
        ("a marker after them", [marker(600)], .begins),
        ("a metric without a fix after them", [live(elapsed: 600, device: 600, .stale)], .begins),
        ("the fix behind it", [marker(600), live(elapsed: 601, device: 601)], .none),
        (
            "half an hour without a fix",
            (1...1900).map { live(elapsed: Double($0), device: Double($0), .stale) }, .none
        ),
        (
            "the fix after it",
            (1...1900).map { live(elapsed: Double($0), device: Double($0), .stale) }
                + [live(elapsed: 1901, device: 1901)], .begins
        ),
        ("the end", [ended(elapsed: 1), ended], .ends),
        ("the end after an hour", [ended(elapsed: 3600)], .none),
        ("metrics of the end", [ended, ended(elapsed: 1)], .none),
        ("a continuation", [ended, live(elapsed: 2, device: 2)], .continues),
        ("a marker after the end", [ended, marker(2)], .continues),
        ("a continuation hours later", [ended, live(elapsed: 7200, device: 7200)], .continues),
        (
            "the second after a continuation",
            [ended, live(elapsed: 7200, device: 7200), live(elapsed: 7201, device: 7201)], .none
        ),
    ]

    private static func marker(_ second: Double) -> StreamEvent {
        StreamEvent(deviceTime: Fixture.time(second), kind: .marker("lap"))
    }

    @Test(arguments: rows) func `A run ends and begins with`(
        row: (rule: String, events: [StreamEvent], step: RunBreaks.Step)
    ) {
        var breaks = RunBreaks()
        #expect(breaks.take(Self.live(elapsed: 0, device: 0), arrival: Fixture.time(0)) == .none)
        var last = RunBreaks.Step.none
        for event in row.events { last = breaks.take(event, arrival: event.deviceTime) }
        #expect(last == row.step, "\(row.rule)")
    }

    /// A backlog arrives at once: only the watch's clock tells.
    @Test(arguments: [
        (1.0, 59.0, RunBreaks.Step.none), (1, 60, .resumes), (1, 599, .resumes), (1, 600, .begins),
        (1799, 1, .none), (1800, 1, .begins),
        (1, 86_400, .begins),
    ])
    func `In a backlog the times tell`(elapsed: Double, device: Double, step: RunBreaks.Step) {
        var breaks = RunBreaks()
        let arrival = Fixture.time(0)
        _ = breaks.take(Self.live(elapsed: 0, device: 0), arrival: arrival)
        let next = Self.live(elapsed: elapsed, device: device)
        #expect(breaks.take(next, arrival: arrival) == step)
    }

    /// A tracker without a clock: only the arrival tells.
    @Test func `A clock that stands still hides no break`() {
        var breaks = RunBreaks()
        _ = breaks.take(Self.live(elapsed: 0, device: 0), arrival: Fixture.time(0))
        let next = Self.live(elapsed: 1, device: 1)
        #expect(breaks.take(next, arrival: Fixture.time(10_800)) == .begins)
    }

    @Test func `The time of another session under the ID is its own`() {
        var breaks = RunBreaks()
        _ = breaks.take(Self.live(elapsed: 0, device: 0), arrival: Fixture.time(0))
        breaks.beginAnew()
        let next = Self.live(elapsed: 5000, device: 100_000)
        #expect(breaks.take(next, arrival: next.deviceTime) == .none)
    }
}
