import SensorModel
import Testing

@testable import Processing

/// A live watch has its clock set in the middle of a run: no movement counts for the jump.
@Suite struct LiveClockTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    /// Runs 300 s at 3 m/s with a heart rate and a fix a second. `stamp` is the device's time at a
    /// second of the run, `arrival` the daemon's; `nil`: not known.
    private func run(
        _ stamp: (Double) -> Double, arrival: (Double) -> Double?
    ) throws -> Metrics {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in (0..<300).map(Double.init) {
            if let arrival = arrival(second) { pipeline.arrived(at: at(arrival)) }
            let time = at(stamp(second))
            let fix = try Location(
                latitude: 48 + 3 * second / 111_194.93, longitude: 11, horizontalAccuracy: 4,
                speed: 3, course: 0)
            let beat = try HeartRateSample(beatsPerMinute: 150)
            pipeline.apply(location: fix, at: time, into: &events)
            pipeline.apply(heartRate: beat, at: time, into: &events)
        }
        return pipeline.metrics
    }

    @Test(arguments: [40.0, 600, 7200, 80_000, 400_000, -40, -600, -3600, -400_000], [0, 4000.0])
    func `A leap of the clock costs no time and no way`(leap: Double, lag: Double) throws {
        let shown = try run({ $0 < 150 ? $0 : $0 + leap }, arrival: { $0 + lag })
        #expect((297...300).contains(shown.elapsedSeconds))
        #expect(shown.pausedSeconds == 0)
        #expect(abs((shown.distanceMeters ?? 0) - 897) < 12)
    }

    @Test(arguments: [0.0, 0.01, 0.1, 0.5, 3])
    func `A hole in what comes at another pace is time that passed`(pace: Double) throws {
        let shown = try run({ $0 < 150 ? $0 : $0 + 600 }, arrival: { $0 * pace })
        #expect(shown.elapsedSeconds == 899)
    }

    @Test func `So is a hole that took as long to come, and one in a file`() throws {
        let hole = { (second: Double) in second < 150 ? second : second + 600 }
        #expect(try run(hole, arrival: hole).elapsedSeconds == 899)
        #expect(try run(hole, arrival: { _ in nil }).elapsedSeconds == 899)
    }

    @Test(arguments: [-3600.0, -60, 60, 3600])
    func `The daemon's own clock that is set changes nothing`(leap: Double) throws {
        let shown = try run({ $0 }, arrival: { $0 < 150 ? $0 : $0 + leap })
        #expect(shown.elapsedSeconds == 299)
        #expect(abs((shown.distanceMeters ?? 0) - 897) < 9)
    }

    /// Sends a fix a second, and a minute's heart rates at once.
    @Test(arguments: [60, 120, 280])
    func `Heart rates that come in batches set no clock`(seconds: Int) throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in 0..<600 {
            pipeline.arrived(at: at(Double(second)))
            let fix = try Location(
                latitude: 48 + 3 * Double(second) / 111_194.93, longitude: 11,
                horizontalAccuracy: 4, speed: 3, course: 0)
            pipeline.apply(location: fix, at: at(Double(second)), into: &events)
            guard second % seconds == seconds - 1 else { continue }
            for earlier in second - seconds + 1...second {
                let beat = try HeartRateSample(beatsPerMinute: 150)
                pipeline.apply(heartRate: beat, at: at(Double(earlier)), into: &events)
            }
        }
        #expect(pipeline.metrics.elapsedSeconds == 599)
        #expect(abs((pipeline.metrics.distanceMeters ?? 0) - 1797) < 12)
        #expect(pipeline.metrics.averageHeartRate == 150)
        let times = events.map(\.deviceTime)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test(arguments: [600.0, -600]) func `One wrong stamp moves nothing`(leap: Double) throws {
        let shown = try run({ $0 == 150 ? $0 + leap : $0 }, arrival: { $0 })
        #expect(shown.elapsedSeconds == 299)
        #expect(abs((shown.distanceMeters ?? 0) - 897) < 9)
    }

    @Test(arguments: [true, false])
    func `Silence before an end is time that passed, live or not`(isLive: Bool) throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in (0..<180).map(Double.init) {
            if isLive { pipeline.arrived(at: at(second)) }
            let beat = try HeartRateSample(beatsPerMinute: 150)
            pipeline.apply(heartRate: beat, at: at(second), into: &events)
        }
        pipeline.end(at: at(779), into: &events)
        #expect(pipeline.metrics.elapsedSeconds == 779)
        #expect(pipeline.metrics.state == .ended)
    }

    /// After two minutes of live heart rates, a phone sends buffered ones that are 50 s old.
    @Test func `A buffer that is emptied late is no clock set back`() throws {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        let beat = try HeartRateSample(beatsPerMinute: 150)
        for second in (0..<180).map(Double.init) {
            pipeline.arrived(at: at(second))
            pipeline.apply(heartRate: beat, at: at(second), into: &events)
            guard second == 120 else { continue }
            for old in (70..<88).map(Double.init) {
                pipeline.apply(heartRate: beat, at: at(old), into: &events)
            }
        }
        #expect(pipeline.metrics.elapsedSeconds == 179)
    }
}
