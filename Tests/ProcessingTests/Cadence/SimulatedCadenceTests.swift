import SensorModel
import Simulator
import Testing

@testable import Processing

/// Compares with the simulator's truth, second by second.
@Suite struct SimulatedCadenceTests {
    struct Tally {
        var known = 0
        var shown = 0
        var error = 0.0
        var octaves = 0
        var steps = 0
        var trueSteps = 0
    }

    static func tally(_ settings: RunnerSettings, plan: RunPlan, seed: UInt64) -> Tally {
        var runner = SimulatedRunner(seed: seed, plan: plan, settings: settings)
        var processor = CadenceProcessor(placement: settings.placement)
        var seen: [Int64: Double] = [:]
        while let next = runner.next() {
            guard case .motion(let batch) = next.frame.payload else { continue }
            var time = next.frame.deviceTime
            for sample in batch.samples {
                processor.update(sample, traits: batch.traits, at: time)
                seen[time.wholeSecond.microseconds] = processor.cadence.stepsPerMinute
                time = time.advanced(byMicroseconds: Int64(batch.intervalMicroseconds))
            }
        }
        var tally = Tally()
        for (index, truth) in runner.truth.enumerated() where index >= 6 {
            let before = runner.truth[(index - 6)..<index]
            guard truth.cadence > 0, before.allSatisfy({ abs($0.cadence - truth.cadence) < 8 })
            else { continue }
            tally.known += 1
            // The truth is for the end of a second, the value for its last sample.
            let second = truth.deviceTime.microseconds - 1_000_000
            guard let value = seen[second] else { continue }
            tally.shown += 1
            tally.error += abs(value - truth.cadence)
            let ratio = value / truth.cadence
            if abs(ratio * 2 - 1) < 0.08 || abs(ratio / 2 - 1) < 0.08 { tally.octaves += 1 }
        }
        tally.steps = processor.steps
        tally.trueSteps = runner.truth.last?.steps ?? 0
        return tally
    }

    @Test(arguments: [RunnerProfile.Placement.wrist, .ankle], [20, 50])
    func `Cadence is within a step a minute, in the right octave`(
        placement: RunnerProfile.Placement, rate: Int
    ) {
        for includesGravity in [true, false] {
            var settings = RunnerSettings()
            settings.placement = placement
            settings.motionRate = rate
            settings.samplesPerFrame = rate / 2
            settings.includesGravity = includesGravity
            settings.hasGyroscope = false
            let tally = Self.tally(settings, plan: .city(minutes: 5, seed: 5), seed: 2)
            #expect(tally.shown * 100 >= tally.known * 99)
            #expect(tally.error <= Double(tally.shown))
            #expect(tally.octaves == 0)
            #expect(abs(tally.steps - tally.trueSteps) * 100 <= tally.trueSteps * 2)
        }
    }
}
