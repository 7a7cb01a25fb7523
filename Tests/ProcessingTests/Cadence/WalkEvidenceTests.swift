import SensorModel
import Simulator
import Testing

@testable import Processing

/// Repetitive arm movements give no steps; walks do, including slow ones.
@Suite struct WalkEvidenceTests {
    private static let interval: Int64 = 20_000

    /// Steps counted in two minutes of the movement with each of four seeds.
    private static func stepsOfArms(
        _ kind: ArmMotion.Kind, asksForProof: Bool, speed: Double? = nil, speedEvery: Int = 50
    ) -> Int {
        var steps = 0
        for seed in UInt64(1)...4 {
            var arm = ArmMotion(kind, seed: seed)
            var tuning = CadenceTuning()
            tuning.asksForProof = asksForProof
            var processor = CadenceProcessor(placement: .wrist, tuning: tuning)
            var time = MadeMotion.start
            for number in 0..<6_000 {
                if let speed, number % speedEvery == 0 { processor.noteSpeed(speed, at: time) }
                processor.update(arm.next(after: 0.02), traits: .includesGravity, at: time)
                time = time.advanced(byMicroseconds: interval)
            }
            steps += processor.steps
        }
        return steps
    }

    @Test(arguments: ArmMotion.Kind.allCases)
    func `An arm that repeats a movement makes hardly a step`(kind: ArmMotion.Kind) {
        // At the limit of 80 steps an hour, eight minutes allow 11 steps.
        #expect(Self.stepsOfArms(kind, asksForProof: true) <= 11)
    }

    @Test(arguments: ArmMotion.Kind.allCases)
    func `Without the proof the same arm would count as a walk`(kind: ArmMotion.Kind) {
        #expect(Self.stepsOfArms(kind, asksForProof: false) > 60)
    }

    @Test(arguments: [(0.6, false), (0.8, true)])
    func `A position that moves on proves a rhythm`(speed: Double, isProven: Bool) {
        let steps = Self.stepsOfArms(.strokes, asksForProof: true, speed: speed)
        #expect(isProven ? steps > 60 : steps <= 11)
    }

    @Test func `Single fixes that scatter prove nothing`() {
        // One walking speed every 20 s.
        let steps = Self.stepsOfArms(.curls, asksForProof: true, speed: 1.5, speedEvery: 1000)
        #expect(steps <= 11)
    }

    @Test(arguments: [0.45, 0.6, 0.8, 1.1], [UInt64(3), 4, 5])
    func `A slow walk is counted`(speed: Double, seed: UInt64) {
        var settings = RunnerSettings()
        settings.hasGyroscope = false
        let plan = RunPlan(legs: [.init(seconds: 120, speed: speed)])
        let tally = SimulatedCadenceTests.tally(settings, plan: plan, seed: seed)
        #expect(abs(tally.steps - tally.trueSteps) * 100 <= tally.trueSteps * 6)
    }

    @Test func `A walk of ten seconds between rests is counted`() {
        let motion = MadeMotion(cadence: { $0.truncatingRemainder(dividingBy: 25) < 10 ? 105 : 0 })
        let steps = SeenMotion(motion, seconds: 200, placement: .wrist).processor.steps
        // Eight walks of 17.5 steps.
        #expect((126...147).contains(steps))
    }

    @Test func `Weak windows never prove a walk, strong ones do, and contrary ones end the proof`()
    {
        var evidence = WalkEvidence()
        for _ in 0..<100 {
            evidence.observe(0.5, counts: true)
            evidence.proveIfEnough()
        }
        // Half a unit a window adds up to at most five, which is not enough.
        #expect(!evidence.isProven)
        for _ in 0..<3 {
            evidence.observe(4, counts: true)
            evidence.proveIfEnough()
        }
        #expect(evidence.isProven)
        for _ in 0..<5 {
            evidence.observe(-4, counts: true)
            evidence.proveIfEnough()
        }
        #expect(!evidence.isProven)
    }
}
