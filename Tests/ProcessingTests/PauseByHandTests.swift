import SensorModel
import Testing

@testable import Processing

/// A watch stops its receiver during a manual pause, and the next fix is elsewhere.
@Suite struct PauseByHandTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    private func fix(_ meters: Double) throws -> Location {
        try Location(
            latitude: 48 + meters / 111_194.93, longitude: 11, horizontalAccuracy: 4, speed: 3)
    }

    /// Runs 200 s at 3 m/s, pauses for `seconds` and moves `meters` meanwhile, and runs 200 s more.
    /// The receiver stays on for the first `fixesInPause` seconds of the pause.
    private func run(
        pauseOf seconds: Double, meters: Double, fixesInPause: Int = 0
    ) throws -> (shown: Metrics, splits: [Split]) {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in 0..<200 {
            let way = 3 * Double(second)
            pipeline.apply(location: try fix(way), at: at(Double(second)), into: &events)
        }
        pipeline.apply(control: .pause, at: at(199.5), into: &events)
        for second in 0..<fixesInPause {
            pipeline.apply(location: try fix(598), at: at(200 + Double(second)), into: &events)
        }
        pipeline.apply(control: .resume, at: at(199.5 + seconds), into: &events)
        for second in 0..<200 {
            let way = 600 + meters + 3 * Double(second)
            pipeline.apply(
                location: try fix(way), at: at(200 + seconds + Double(second)), into: &events)
        }
        let splits = events.compactMap { event in
            if case .split(let split) = event.kind, split.unit == .kilometer { split } else { nil }
        }
        return (pipeline.metrics, splits)
    }

    @Test(
        arguments: [(60.0, 30.0), (300, 200), (600, 2000), (1200, 3500), (600, 0)], [0, 3])
    func `The way of a pause is none, and no split is shortened by it`(
        pause: (seconds: Double, meters: Double), fixesInPause: Int
    ) throws {
        let (shown, splits) = try run(
            pauseOf: pause.seconds, meters: pause.meters, fixesInPause: fixesInPause)
        #expect(abs((shown.distanceMeters ?? 0) - 1197) < 10)
        #expect(shown.pausedSeconds == pause.seconds)
        #expect(splits.count == 1)
        #expect(abs((splits.first?.seconds ?? 0) - 1000 / 3) < 4)
    }

    @Test func `Nor are steps made in it, where positions stay away`() {
        var distance = Distance(calibration: nil)
        distance.addSteps(to: 0, cadence: 160, isMoving: true)
        distance.bridge(steps: 100, cadence: 160)
        let before = distance.meters
        distance.skip(toSteps: 400)
        distance.bridge(steps: 400, cadence: 160)
        #expect(distance.meters == before)
        distance.bridge(steps: 401, cadence: 160)
        #expect((distance.meters ?? 0) > (before ?? 0))
    }
}
