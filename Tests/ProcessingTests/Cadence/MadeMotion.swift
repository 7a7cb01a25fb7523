import Glibc
import SensorModel
import Simulator

@testable import Processing

/// Synthetic motion with known truth: a body as a sum of tones.
struct MadeMotion: Sendable {
    /// Steps/min at a time; 0: standing.
    var cadence: @Sendable (Double) -> Double = { _ in 120 }
    /// Amplitude of the step's first harmonic, g; `nil`: the usual one at that cadence.
    var stepAmplitude: Double?
    /// Amplitude of the limb's swing at half the step rate, g.
    var swingAmplitude = 0.0
    /// Lateral sway as a share of the step; `nil`: the usual one, which in a slow walk equals the
    /// bounce.
    var swayShare: Double?
    var includesGravity = true
    var rate = 50.0
    /// Standard deviation of a sample's time as a share of the interval.
    var jitter = 0.0
    var lostShare = 0.0
    /// Noise of each axis as a standard deviation, g.
    var noise = 0.015
    /// Orientation of the sensor on the body, radians about x, then z.
    var tilt = (0.7, 0.4)
    /// Motion other than gait, g, in the body's axes.
    var other: @Sendable (Double) -> SIMD3<Double> = { _ in .zero }
    var seed: UInt64 = 1

    static let start = Timestamp(microseconds: 1_763_700_000_000_000)

    /// Approximate amplitude measured at wrists and hips.
    static func usualAmplitude(_ cadence: Double) -> Double {
        guard cadence > 0 else { return 0 }
        if cadence < 135 { return max(0.1, 0.28 * (cadence / 110) * (cadence / 110)) }
        return 0.9 * (cadence / 160)
    }

    func samples(seconds: Double) -> [(sample: MotionSample, time: Timestamp)] {
        var generator = SeededGenerator(seed: seed)
        var made: [(MotionSample, Timestamp)] = []
        var phase = 0.0
        for index in 0..<Int(seconds * rate) {
            let exact = Double(index) / rate
            phase += cadence(exact) / 60 / rate
            let shift = jitter * generator.gaussian() / rate
            if generator.happens(lostShare) { continue }
            var sample = sample(phase: phase, at: exact + shift)
            for axis in 0..<3 { sample.acceleration[axis] += Float(noise * generator.gaussian()) }
            made.append((sample, Self.start.advanced(bySeconds: exact + shift)))
        }
        return made
    }

    private func sample(phase: Double, at seconds: Double) -> MotionSample {
        let now = cadence(seconds)
        let step = now > 0 ? stepAmplitude ?? Self.usualAmplitude(now) : 0
        let swing = now > 0 ? swingAmplitude : 0
        let angle = 2 * Double.pi * phase
        // Slow steps are impacts with pauses between them; fast ones are nearly a tone.
        let sharpness = now < 90 ? 2.0 : 1
        let up =
            step
            * (cos(angle) + 0.3 * sharpness * cos(2 * angle + 1)
                + 0.15 * sharpness * cos(3 * angle + 2))
            + (includesGravity ? 1 : 0)
        let forward = swing * cos(angle / 2) + 0.3 * step * sin(angle)
        let sway = step * (swayShare ?? (now < 70 ? 0.9 : 0.4)) * sin(angle / 2)
        let body = SIMD3(forward, sway, up) + other(seconds)
        let turned = SIMD3(
            body.x, body.y * cos(tilt.0) - body.z * sin(tilt.0),
            body.y * sin(tilt.0) + body.z * cos(tilt.0))
        return MotionSample(
            acceleration: SIMD3(
                Float(turned.x * cos(tilt.1) - turned.y * sin(tilt.1)),
                Float(turned.x * sin(tilt.1) + turned.y * cos(tilt.1)), Float(turned.z)))
    }

    var traits: MotionTraits { includesGravity ? .includesGravity : [] }
}

/// The values that a viewer would have seen, second by second.
struct SeenMotion {
    var processor: CadenceProcessor
    var metrics: [CadenceMetric] = []
    var steps: [Int] = []
    var activities: [MotionActivity] = []

    init(
        _ motion: MadeMotion, seconds: Double, placement: RunnerProfile.Placement? = nil,
        speed: Double? = nil
    ) {
        processor = CadenceProcessor(placement: placement)
        var next = 1.0
        for (sample, time) in motion.samples(seconds: seconds) {
            while time.seconds(since: MadeMotion.start) > next {
                let second = MadeMotion.start.advanced(bySeconds: next)
                if let speed { processor.noteSpeed(speed, at: second) }
                processor.tick(at: second)
                metrics.append(processor.cadence)
                steps.append(processor.steps)
                activities.append(processor.activity)
                next += 1
            }
            processor.update(sample, traits: motion.traits, at: time)
        }
    }

    /// The values from whole second `first` on, counted from 1.
    func values(from first: Int) -> [Double] {
        metrics.dropFirst(first - 1).compactMap(\.stepsPerMinute)
    }
}
