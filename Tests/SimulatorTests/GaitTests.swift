import SensorModel
import Simulator
import Testing

@Suite struct GaitTests {
    private static func samples(
        seed: UInt64, _ plan: RunPlan, _ settings: RunnerSettings
    ) -> (samples: [MotionSample], truth: [RunnerTruth]) {
        var runner = SimulatedRunner(seed: seed, plan: plan, settings: settings)
        var samples: [MotionSample] = []
        while let frame = runner.next() {
            if case .motion(let batch) = frame.frame.payload { samples += batch.samples }
        }
        return (samples, runner.truth)
    }

    /// Counts strides by the reference's rule for an ankle: a foot is down where the leg, after
    /// swinging forward, turns back faster than 2 rad/s.
    private static func ankleStrides(_ samples: [MotionSample]) -> Int {
        var state = 0
        var count = 0
        for sample in samples {
            switch state {
            case 0: if sample.rotation.z > 0, sample.acceleration.y > 0 { state = 1 }
            case 1:
                if sample.rotation.z <= -2 {
                    count += 1
                    state = 2
                }
            default: if sample.rotation.z > 0 { state = 0 }
            }
        }
        return count
    }

    @Test(arguments: 1...6)
    func `The reference's rule counts a stride for two steps on an ankle`(seed: UInt64) {
        var settings = RunnerSettings()
        settings.placement = .ankle
        settings.motionRate = 20
        settings.samplesPerFrame = 1
        settings.includesGravity = false
        // The rule does not detect walking, in which a leg turns back too slowly.
        let plan = RunPlan(legs: [.init(seconds: 240, speed: 3)])
        let run = Self.samples(seed: seed, plan, settings)
        let strides = Self.ankleStrides(run.samples)
        let steps = run.truth.last?.steps ?? 0
        #expect(abs(2 * strides - steps) < steps / 50)
    }

    /// Autocorrelation of the signal at `lag` samples, -1…1.
    private static func likeness(_ signal: [Float], lag: Int) -> Float {
        let mean = signal.reduce(0, +) / Float(signal.count)
        var product: Float = 0
        var power: Float = 0
        for index in lag..<signal.count {
            product += (signal[index] - mean) * (signal[index - lag] - mean)
            power += (signal[index] - mean) * (signal[index] - mean)
        }
        return product / power
    }

    @Test(arguments: 1...6)
    func `A wrist's shaking repeats with the step`(seed: UInt64) {
        var settings = RunnerSettings()
        settings.motionRate = 100
        settings.samplesPerFrame = 50
        let plan = RunPlan(legs: [.init(seconds: 60, speed: 3)])
        let run = Self.samples(seed: seed, plan, settings)
        let signal = run.samples.dropFirst(4000).prefix(1000).map {
            ($0.acceleration * $0.acceleration).sum().squareRoot()
        }
        let lags = 25...60
        let best = lags.max { Self.likeness(signal, lag: $0) < Self.likeness(signal, lag: $1) }
        let cadence = 6000 / Double(best ?? 1)
        #expect(abs(cadence - run.truth[45].cadence) < 6)
    }
}
