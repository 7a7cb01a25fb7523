import SensorModel
import Testing

@testable import Processing

/// A watch that was silent so long that its session ended sends again under the same session.
@Suite struct RestTests {
    /// Input of a moment.
    private enum Step {
        case silence
        case rest
    }

    private static func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    /// Runs 3 m/s to the north for 180 s, is silent until 780 s, and sends from `resumes` on: with
    /// 180 the watch has kept what it measured meanwhile.
    private static func run(
        _ step: Step, resuming resumes: Int, stopping: Bool = false
    ) throws -> (metrics: Metrics, events: [StreamEvent]) {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        func send(_ second: Int, arrival: Double) throws {
            pipeline.arrived(at: at(arrival))
            let fix = try Location(
                latitude: 48 + 3 * Double(second) / 111_194.93, longitude: 11,
                horizontalAccuracy: 4, speed: 3, course: 0)
            let beat = try HeartRateSample(beatsPerMinute: 150)
            pipeline.apply(location: fix, at: at(Double(second)), into: &events)
            pipeline.apply(heartRate: beat, at: at(Double(second)), into: &events)
        }
        for second in 0..<180 { try send(second, arrival: Double(second)) }
        if stopping { pipeline.apply(control: .stop, at: at(180), into: &events) }
        switch step {
        case .silence: pipeline.applySilence(at: at(780), into: &events)
        case .rest: pipeline.rest(at: at(780), into: &events)
        }
        for second in resumes..<1200 { try send(second, arrival: Double(max(second, 900))) }
        return (pipeline.metrics, events)
    }

    @Test(arguments: [180, 900])
    func `The next sample continues a session that silence ended, as if it had not`(
        resumes: Int
    ) throws {
        let (metrics, events) = try Self.run(.rest, resuming: resumes)
        let (unrested, _) = try Self.run(.silence, resuming: resumes)
        #expect(metrics == unrested)
        #expect(metrics.state == .live && metrics.elapsedSeconds == 1199)
        #expect(abs((metrics.distanceMeters ?? 0) - 3597) < 20)
        #expect(events.count { $0.kind == .ended } == 1)
        let end = try #require(events.firstIndex { $0.kind == .ended })
        guard case .metrics(let last) = events[end - 1].kind else {
            Issue.record("the end has no metrics before it")
            return
        }
        // Silence is no time of the run: the watch may still report it.
        #expect(last.state == .ended && last.elapsedSeconds == 179)
        let next = events[(end + 1)...].first.flatMap { event in
            if case .metrics(let metrics) = event.kind { metrics } else { nil }
        }
        #expect(next?.state == .live)
    }

    @Test func `A session that was stopped stays over`() throws {
        let (metrics, events) = try Self.run(.rest, resuming: 900, stopping: true)
        #expect(metrics.state == .ended && metrics.elapsedSeconds == 180)
        #expect(events.last?.kind == .ended)
    }

    @Test func `A late sample does not continue it`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        let beat = try HeartRateSample(beatsPerMinute: 150)
        for second in 0..<60 {
            pipeline.apply(heartRate: beat, at: Self.at(Double(second)), into: &events)
        }
        pipeline.rest(at: Self.at(660), into: &events)
        pipeline.apply(heartRate: beat, at: Self.at(30), late: true, into: &events)
        #expect(pipeline.metrics.state == .ended)
        pipeline.rest(at: Self.at(700), into: &events)
        #expect(events.count { $0.kind == .ended } == 1)
    }
}
