import SensorModel
import Testing

@testable import Processing

/// Impossible times and distances must not end the process or corrupt a session.
@Suite struct HostileTimeTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    private let nothing = Splits.Context(heartRate: (0, 0), altitude: nil)

    @Test func `A mark passed at next to no speed stays in its hole when the way grows`() {
        var splits = Splits()
        splits.start(at: at(0), altitude: nil)
        _ = splits.update(
            meters: 999.999_999_9, at: at(100), movingTime: MovingTime(), context: nothing)
        // A millimeter in a year: 3e-11 m/s.
        let completed = splits.update(
            meters: 1000.001, at: at(3.4e7), movingTime: MovingTime(), context: nothing)
        #expect(completed.map(\.number) == [1])
        let corrected = splits.correct(
            by: LateFixes.Change(
                startMeters: 0, knots: [(at(1), 0), (at(101), 900)], addedMeters: 900),
            movingTime: MovingTime())
        #expect(corrected.allSatisfy { (0...3.4e7).contains($0.seconds) })
    }

    @Test func `A leap completes its newest splits alone`() {
        var splits = Splits()
        splits.start(at: at(0), altitude: nil)
        _ = splits.update(meters: 0, at: at(0), movingTime: MovingTime(), context: nothing)
        let completed = splits.update(
            meters: 20_000_000, at: at(1000), movingTime: MovingTime(), context: nothing)
        let kilometers = completed.filter { $0.unit == .kilometer }
        #expect(kilometers.map(\.number) == Array((20_001 - Split.atOnceMax)...20_000))
        #expect(kilometers.allSatisfy { abs($0.seconds - 0.05) < 1e-3 })
        let next = splits.update(
            meters: 20_001_000, at: at(1300), movingTime: MovingTime(), context: nothing)
        #expect(next.filter { $0.unit == .kilometer }.map(\.number) == [20_001])
        #expect(abs((next.first?.seconds ?? 0) - 300) < 1e-3)
    }

    /// The receiver of the watch sets the clock after the first fixes.
    @Test func `Fixes from before the session are no pause of it`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        pipeline.apply(
            heartRate: try HeartRateSample(beatsPerMinute: 120), at: at(0), into: &events)
        func fix(_ place: Int, _ seconds: Double) throws {
            let location = try Location(
                latitude: 48 + Double(place) * 3 / 111_195, longitude: 11, horizontalAccuracy: 4,
                speed: 3)
            pipeline.apply(location: location, at: at(seconds), into: &events)
        }
        try fix(0, -7e8)
        try fix(0, -7e8 + 1)
        for second in 10..<400 { try fix(second, Double(second)) }
        let metrics = events.compactMap { event -> Metrics? in
            if case .metrics(let metrics) = event.kind { metrics } else { nil }
        }
        #expect(metrics.count > 300)
        for shown in metrics {
            #expect(shown.movingSeconds >= 0 && shown.pausedSeconds <= shown.elapsedSeconds)
        }
    }

    @Test func `The end of a window to cancel in is by the device's clock`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        let rate = try HeartRateSample(beatsPerMinute: 120)
        for second in 0..<10 {
            pipeline.apply(heartRate: rate, at: at(Double(second)), into: &events)
        }
        // The clock is set ahead by a week, and a second sample confirms it.
        for second in 0..<5 {
            pipeline.apply(heartRate: rate, at: at(604_800 + Double(second)), into: &events)
        }
        events = []
        pipeline.apply(control: .sos, at: at(604_805), into: &events)
        let raised = events.compactMap { event -> Timestamp? in
            if case .alert(let alert) = event.kind { alert.cancelBefore } else { nil }
        }
        #expect(raised.map { $0.seconds(since: at(604_835)).magnitude < 2 } == [true])
    }
}
