import Glibc
import SensorModel
import Simulator
import Testing

@testable import Processing

/// Motion other than gait gives no steps, and unusual input is harmless.
@Suite struct CadenceRobustnessTests {
    static let driving = MadeMotion(
        cadence: { _ in 0 }, noise: 0.05,
        other: { time in
            // Car body on springs, engine, and occasional bends.
            let road = 0.06 * sin(8.1 * time) * sin(0.9 * time) + 0.04 * sin(11.3 * time + 2)
            return SIMD3(0.15 * sin(0.21 * time), 0.1 * sin(0.13 * time), road)
        })
    static let tremor = MadeMotion(
        cadence: { _ in 0 },
        other: {
            SIMD3(0.12 * sin(2 * Double.pi * 5.3 * $0), 0, 0.08 * sin(2 * Double.pi * 5.3 * $0))
        })
    static let clapping = MadeMotion(
        cadence: { _ in 0 }, rate: 100,
        other: { time in
            // 3.6 claps a second, each an impact of 30 ms.
            let since = (time * 3.6).truncatingRemainder(dividingBy: 1) / 3.6
            return SIMD3(since < 0.03 ? 6 : 0.8 * sin(2 * Double.pi * 3.6 * time), 0, 0)
        })
    static let typing = MadeMotion(
        cadence: { _ in 0 },
        other: { time in
            let burst = sin(0.7 * time) > 0.2 ? 1.0 : 0
            return SIMD3(0.05 * sin(17 * time + sin(3 * time)), 0.04 * sin(23 * time), 0) * burst
        })
    static let gestures = MadeMotion(
        cadence: { _ in 0 },
        other: { time in
            // An arm that reaches, lifts and points without a fixed rhythm.
            let sweep = sin(2.5 * time + 2 * sin(0.31 * time) + 1.3 * sin(1.1 * time))
            return SIMD3(0.3 * sweep, 0.2 * cos(1.7 * time + sweep), 0.1 * sweep)
        })

    @Test(arguments: [
        ("driving", driving), ("tremor", tremor), ("clapping", clapping), ("typing", typing),
        ("gestures", gestures),
    ])
    func `What is no gait makes no steps`(name: String, motion: MadeMotion) {
        let seen = SeenMotion(motion, seconds: 180, placement: .wrist)
        #expect(seen.processor.steps == 0, "\(name)")
    }

    @Test(arguments: [("driving", driving), ("tremor", tremor), ("typing", typing)])
    func `Nor does it without gravity`(name: String, motion: MadeMotion) {
        var motion = motion
        motion.includesGravity = false
        #expect(SeenMotion(motion, seconds: 180).processor.steps == 0, "\(name)")
    }

    @Test func `Noise makes no steps, however strong`() {
        for noise in [0.005, 0.02, 0.1, 0.4] {
            let motion = MadeMotion(cadence: { _ in 0 }, noise: noise)
            #expect(SeenMotion(motion, seconds: 90).processor.steps == 0)
        }
    }

    @Test func `Pedals at the speed of a bicycle make no steps`() {
        let motion = MadeMotion(
            cadence: { _ in 0 },
            other: {
                SIMD3(0.3 * sin(2 * Double.pi * 1.4 * $0), 0, 0.3 * cos(2 * Double.pi * 1.4 * $0))
            })
        #expect(SeenMotion(motion, seconds: 60, speed: 7).processor.steps == 0)
    }

    /// Pedaling sways the upper body, and the road shakes the bar; there is no speed as evidence.
    @Test(arguments: [0, 0.15, 0.3])
    func `A hand on a handlebar makes no steps, with no position at all`(road: Double) {
        for pedals in [60.0, 75, 85, 95] {
            var motion = MadeMotion(
                cadence: { _ in 0 },
                other: { time in
                    let angle = 2 * Double.pi * pedals / 60 * time
                    return SIMD3(0.04 * sin(angle), 0.06 * sin(angle), 0.03 * sin(2 * angle))
                })
            motion.noise = road
            #expect(SeenMotion(motion, seconds: 120, placement: .wrist).processor.steps == 0)
        }
    }

    @Test func `Equal and earlier times are ignored`() {
        let motion = MadeMotion(cadence: { _ in 150 })
        var clean = CadenceProcessor(placement: nil)
        var disturbed = clean
        let shaken = MotionSample(acceleration: SIMD3(9, -9, 9))
        for (sample, time) in motion.samples(seconds: 20) {
            clean.update(sample, traits: motion.traits, at: time)
            disturbed.update(sample, traits: motion.traits, at: time)
            disturbed.update(shaken, traits: motion.traits, at: time)
            disturbed.update(
                shaken, traits: motion.traits, at: time.advanced(byMicroseconds: -500_000))
        }
        #expect(clean.cadence == disturbed.cadence)
        #expect(clean.steps == disturbed.steps)
    }

    @Test func `The same samples give the same values`() {
        let motion = MadeMotion(cadence: { 100 + 60 * sin($0 / 20) }, jitter: 0.1, lostShare: 0.05)
        let first = SeenMotion(motion, seconds: 120)
        let second = SeenMotion(motion, seconds: 120)
        #expect(first.metrics == second.metrics)
        #expect(first.steps == second.steps)
        #expect(first.activities == second.activities)
    }

    @Test func `What comes later changes nothing that was shown`() {
        let motion = MadeMotion(cadence: { 100 + 60 * sin($0 / 20) })
        let short = SeenMotion(motion, seconds: 50)
        let long = SeenMotion(motion, seconds: 100)
        #expect(Array(long.metrics.prefix(short.metrics.count)) == short.metrics)
        #expect(Array(long.steps.prefix(short.steps.count)) == short.steps)
    }

    @Test func `The count never falls`() {
        var motion = MadeMotion(cadence: { Int($0 / 13) % 3 == 0 ? 0 : 90 + $0 / 4 })
        motion.lostShare = 0.3
        let steps = SeenMotion(motion, seconds: 150).steps
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func `Silence makes the value stale, then unknown`() {
        var processor = SeenMotion(MadeMotion(), seconds: 20).processor
        let end = MadeMotion.start.advanced(bySeconds: 20)
        processor.tick(at: end.advanced(bySeconds: 1))
        #expect(processor.cadence.state == .live)
        processor.tick(at: end.advanced(bySeconds: 3))
        #expect(processor.cadence.state == .stale)
        #expect(processor.cadence.stepsPerMinute != nil)
        processor.tick(at: end.advanced(bySeconds: 6))
        #expect(processor.cadence.stepsPerMinute == nil)
        #expect(processor.activity.kind == .unknown)
    }

    @Test func `A hole in the samples makes no steps and the count goes on after it`() {
        let motion = MadeMotion(cadence: { _ in 120 })
        var processor = CadenceProcessor(placement: nil)
        for (sample, time) in motion.samples(seconds: 90)
        where !(30..<60).contains(time.seconds(since: MadeMotion.start)) {
            processor.update(sample, traits: motion.traits, at: time)
        }
        // Both ends hold back their newest second.
        #expect((112...121).contains(processor.steps))
    }

    @Test func `Wild values do no harm`() {
        var generator = SeededGenerator(seed: 8)
        var processor = CadenceProcessor(placement: .ankle)
        var time = MadeMotion.start
        for _ in 0..<8_000 {
            time = time.advanced(byMicroseconds: Int64(generator.uniform() * 400_000))
            let sample = MotionSample(
                acceleration: SIMD3(
                    Float(64 * generator.uniform() - 32), Float(64 * generator.uniform() - 32),
                    Float(64 * generator.uniform() - 32)),
                rotation: SIMD3(0, 0, Float(80 * generator.uniform() - 40)))
            let traits = MotionTraits(rawValue: UInt8(generator.next() & 3))
            processor.update(sample, traits: traits, at: time)
            let value = processor.cadence.stepsPerMinute ?? 0
            #expect(value.isFinite && value >= 0 && value <= 300)
        }
        processor.update(
            MotionSample(acceleration: .zero), traits: [],
            at: time.advanced(bySeconds: 3_000_000_000))
        #expect(processor.steps >= 0)
    }

    @Test func `A known speed settles the octave`() throws {
        // One tone at 1.35 Hz may be 81 steps/min, or strides of 162.
        let motion = MadeMotion(
            cadence: { _ in 0 },
            other: { SIMD3(0, 0, 0.3 * cos(2 * Double.pi * 1.35 * $0)) })
        let slow = try #require(SeenMotion(motion, seconds: 30, speed: 0.9).values(from: 15).last)
        #expect(abs(slow - 81) < 4)
    }
}
