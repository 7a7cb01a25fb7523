import Glibc
public import SensorModel

/// The wrist of an arm that repeats a movement without a step: a source of false steps.
///
/// The forearm turns about one axis, which moves gravity over the axes. The sensor also measures
/// its own acceleration on the arc, and a push once a repetition. Rates and strengths are medians
/// over recordings of such movements; tempo and posture vary with the seed.
public struct ArmMotion: Sendable {
    public enum Kind: CaseIterable, Sendable {
        /// Lifted weights: slow, with a rest at both ends.
        case curls
        /// A swimmer's arm: whole circles with a pull.
        case strokes
    }

    private struct Shape {
        let perMinute: Double
        /// Relative standard deviation of tempo and of strength from one repetition to the next.
        let tempoVariation: Double
        let strengthVariation: Double
        /// Half of the angle swept, radians; `nil` for whole circles.
        let reach: Double?
        /// Strength of a push, g, and the share of it at twice the rate.
        let push: Double
        let secondShare: Double
    }

    /// Distance of the sensor from the elbow, 0.25 m, as g s².
    private static let radius = 0.25 / 9.80665

    private let shape: Shape
    private var generator: SeededGenerator
    private let tempo: Double
    private var tilt: Double
    private var strength = 1.0
    private var phase = 0.0
    private var rate = 0.0
    private var reach = 0.0
    private var previous: (angle: Double, speed: Double)?

    public init(_ kind: Kind, seed: UInt64) {
        shape =
            switch kind {
            case .curls:
                Shape(
                    perMinute: 26, tempoVariation: 0.08, strengthVariation: 0.1, reach: 0.6,
                    push: 0.2, secondShare: 0.4)
            case .strokes:
                Shape(
                    perMinute: 33, tempoVariation: 0.06, strengthVariation: 0.1, reach: nil,
                    push: 0.8, secondShare: 0.5)
            }
        generator = SeededGenerator(seed: seed)
        tempo = shape.perMinute * (0.85 + 0.3 * generator.uniform()) / 60
        tilt = 0.5 * generator.gaussian()
        beginRepetition()
    }

    /// Returns the next sample, `seconds` after the previous one.
    ///
    /// - Parameter seconds: 0.005 to 0.1.
    /// - Returns: Acceleration in g, with gravity.
    public mutating func next(after seconds: Double) -> MotionSample {
        phase += rate * seconds
        if phase >= 1 {
            phase -= 1
            beginRepetition()
        }
        // A curl begins where the last one ended, whatever its reach.
        let angle =
            shape.reach.map { reach * (1 - cos(2 * Double.pi * eased)) - $0 }
            ?? 2 * Double.pi * phase
        let speed = turn(from: previous?.angle ?? angle, to: angle) / seconds
        let change = (speed - (previous?.speed ?? speed)) / seconds
        previous = (angle, speed)
        let wave = sin(2 * Double.pi * phase)
        let second = shape.secondShare * sin(4 * Double.pi * phase + 1)
        let push = strength * shape.push * (wave + second)
        let along = sin(angle) + Self.radius * change + push
        let outward = cos(angle) + Self.radius * speed * speed
        return MotionSample(
            acceleration: SIMD3(
                noisy(along), noisy(outward * cos(tilt)), noisy(outward * sin(tilt))))
    }

    /// The phase, slowed at both ends of a curl.
    private var eased: Double { phase - 0.06 * sin(4 * Double.pi * phase) }

    /// Returns the shorter way from one angle to another.
    private func turn(from before: Double, to after: Double) -> Double {
        (after - before).remainder(dividingBy: 2 * Double.pi)
    }

    private mutating func beginRepetition() {
        rate = tempo * max(0.5, 1 + shape.tempoVariation * generator.gaussian())
        strength = max(0.2, 1 + shape.strengthVariation * generator.gaussian())
        reach = (shape.reach ?? 0) * strength
        tilt += 0.2 * shape.strengthVariation * generator.gaussian()
    }

    private mutating func noisy(_ value: Double) -> Float {
        Float(value + 0.03 * generator.gaussian())
    }
}
