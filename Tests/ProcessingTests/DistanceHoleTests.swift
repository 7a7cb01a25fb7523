import Glibc
import SensorModel
import Simulator
import Testing

@testable import Processing

/// Effects of holes and poor starts on the distance and its interval.
@Suite struct DistanceHoleTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    private func place(east: Double, north: Double, accuracy: Double = 4) throws -> Location {
        let meter = 180 / (Double.pi * Geodesy.earthRadiusMeters)
        return try Location(
            latitude: 48 + north * meter, longitude: 11 + east * meter / cos(48 * Double.pi / 180),
            horizontalAccuracy: accuracy, speed: 3)
    }

    /// Meters credited for a hole of 20 s at 3 m/s whose ends are `line` meters apart.
    private func credited(line: Double, steps: Double = 0) throws -> Double {
        var gate = FixGate()
        var distance = Distance(calibration: nil)
        for second in 0...30 {
            let verdict = gate.admit(
                try place(east: 0, north: 3 * Double(second)), at: at(Double(second)))
            if case .first(let location) = verdict { distance.start(at: location, steps: 0) }
            if case .step(let step) = verdict {
                distance.add(step, isMoving: true, steps: 0, cadence: nil)
            }
        }
        let before = try #require(distance.meters)
        // The step count lags behind; the fix that ends the hole supplies the rest.
        if steps > 0 { distance.bridge(steps: steps - 1.5, cadence: 160) }
        let verdict = gate.admit(try place(east: 0, north: 90 + line), at: at(50))
        guard case .step(let step) = verdict else { return -1 }
        try #require(step.isHole && !step.isJump)
        distance.add(step, isMoving: true, steps: steps, cadence: 160)
        return try #require(distance.meters) - before
    }

    @Test(arguments: [(60.0, 60.0), (50, 58), (42.1, 56.42), (41.9, 41.9), (20, 20), (0, 0)])
    func `A hole with a bend in it is credited in part by speed, one with a stop is not`(
        line: Double, meters: Double
    ) throws {
        #expect(abs(try credited(line: line) - meters) < 0.1)
    }

    @Test func `Where steps were counted they say how long a hole was`() throws {
        let bridged = try credited(line: 50, steps: 53)
        let stride = StrideModel(calibration: nil).metersPerStep(cadence: 160)
        #expect(abs(bridged - 53 * stride) < 0.1)
    }

    @Test func `A start that was unsure stays so in the interval`() throws {
        func halfWidth(startAccuracy: Double) throws -> Double {
            var pipeline = SessionPipeline(profile: RunnerProfile())
            var events: [StreamEvent] = []
            for second in 0...300 {
                let accuracy = second < 3 ? startAccuracy : 4
                pipeline.apply(
                    location: try place(
                        east: 0, north: 3 * Double(second), accuracy: accuracy),
                    at: at(Double(second)), into: &events)
            }
            return try #require(pipeline.metrics.distanceUncertaintyMeters)
        }
        #expect(try halfWidth(startAccuracy: 18) > halfWidth(startAccuracy: 4) + 5)
    }

    @Test func `A slow walk is less sure than a run of the same length`() throws {
        var settings = RunnerSettings()
        settings.motionRate = 0
        settings.sendsHeartRate = false
        settings.sendsStatus = false
        // Several seeds, because each has different turns and noise.
        func shares(speed: Double) throws -> Double {
            let plan = RunPlan(legs: [.init(seconds: 3600 / speed, speed: speed)])
            return try (UInt64(7)...10).reduce(0.0) { sum, seed in
                let run = try SimulatedSession(seed: seed, plan: plan, settings: settings)
                let meters = try #require(run.final.distanceMeters)
                return try sum + #require(run.final.distanceUncertaintyMeters) / meters
            }
        }
        let ratio = try shares(speed: 1.2) / shares(speed: 3)
        #expect(ratio > 1.2, "\(ratio)")
    }
}
