import SensorModel
import Testing

@testable import Sharing

@Suite struct RunBreaksTests {
    private static func live(
        elapsed: Double, device: Double, _ state: ValueState = .live
    ) -> StreamEvent {
        var metrics = Fixture.fullMetrics()
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

    /// Each row has the events after a live position at second 0, and what the last one is.
    private static let rows: [(String, [StreamEvent], RunBreaks.Step)] = [
        ("the next second", [live(elapsed: 1, device: 1)], .none),
        ("just short of half an hour", [live(elapsed: 1799.9, device: 1799.9)], .none),
        ("half an hour", [live(elapsed: 1800, device: 1800)], .begins),
        (
            "a watch that sets its clock by hours",
            [live(elapsed: 1, device: 80_000)], .none
        ),
        ("a day that the session leaves out", [live(elapsed: 1, device: 86_400)], .begins),
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
        ("metrics of the end", [ended, ended(elapsed: 1)], .none),
        ("a continuation", [ended, live(elapsed: 2, device: 2)], .continues),
        ("a continuation hours later", [ended, live(elapsed: 7200, device: 7200)], .continues),
        (
            "the second after a continuation",
            [ended, live(elapsed: 7200, device: 7200), live(elapsed: 7201, device: 7201)], .none
        ),
    ]

    @Test(arguments: rows) func `A run ends and begins with`(
        row: (rule: String, events: [StreamEvent], step: RunBreaks.Step)
    ) {
        var breaks = RunBreaks()
        #expect(breaks.take(Self.live(elapsed: 0, device: 0)) == .none)
        var last = RunBreaks.Step.none
        for event in row.events { last = breaks.take(event) }
        #expect(last == row.step, "\(row.rule)")
    }

    @Test func `The time of another session under the ID is its own`() {
        var breaks = RunBreaks()
        _ = breaks.take(Self.live(elapsed: 0, device: 0))
        breaks.beginAnew()
        #expect(breaks.take(Self.live(elapsed: 5000, device: 100_000)) == .none)
    }
}
