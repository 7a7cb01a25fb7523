import Glibc
import SensorModel

/// Simulates the signal of a motion sensor on the body.
///
/// Each step shakes the sensor up and down (the step's frequency and its harmonics). The arm or leg
/// with the sensor swings once in two steps. Posture drifts, so that gravity moves over the axes.
struct GaitModel: Sendable {
    private let settings: RunnerSettings
    private var generator: SeededGenerator
    /// Present angles of the limb, radians; they drift around the rest angles.
    private var pitch: Double
    private var roll: Double
    private var cosPitch = 1.0
    private var sinPitch = 0.0
    private var cosRoll = 1.0
    private var sinRoll = 0.0
    private let restPitch: Double
    private let looseness: Double
    private let harmonicPhase: Double
    private let vigor: Double

    init(_ settings: RunnerSettings, _ generator: SeededGenerator) {
        self.settings = settings
        self.generator = generator
        // A wrist is bent and turns; a strap around an ankle is straight and tight.
        let isAnkle = settings.placement == .ankle
        restPitch = isAnkle ? 0 : 0.5
        looseness = isAnkle ? 0.25 : 1
        pitch = restPitch + 0.3 * looseness * self.generator.gaussian()
        roll = 0.3 * looseness * self.generator.gaussian()
        harmonicPhase = 2 * Double.pi * self.generator.uniform()
        vigor = 0.85 + 0.3 * self.generator.uniform()
        turn()
    }

    /// Lets the posture drift. The caller calls it once a second.
    mutating func advanceSecond() {
        pitch += 0.02 * (restPitch - pitch) + 0.03 * looseness * generator.gaussian()
        roll += 0.02 * -roll + 0.03 * looseness * generator.gaussian()
        turn()
    }

    mutating func sample(_ body: Body) -> MotionSample {
        let strength = body.isStanding ? 0 : Self.strength(body.speed) * vigor
        // A stride is two steps, and its angle drives all motion.
        let stride = Double.pi * body.stepPhase
        let sine = sin(stride)
        let cosine = cos(stride)
        let sineStep = 2 * sine * cosine
        let cosineStep = 1 - 2 * sine * sine
        let vertical = self.vertical(strength, sineStep, cosineStep)
        let isAnkle = settings.placement == .ankle
        let swingRate = strength * (isAnkle ? 4.5 : 2.6)
        let swingAngle = body.cadence > 0 ? swingRate / (Double.pi * body.cadence / 60) * sine : 0
        let forward = strength * ((isAnkle ? 0.9 : 0.35) * cosine + 0.15 * sineStep)
        let sideways = strength * 0.12 * sine
        return inSensorAxes(vertical, forward, sideways, swingAngle, swingRate * cosine)
    }

    /// Returns the vertical acceleration, up positive: three harmonics of the step.
    private func vertical(_ strength: Double, _ sine: Double, _ cosine: Double) -> Double {
        let cosineTwice = cosine * cosine - sine * sine
        let sineTwice = 2 * sine * cosine
        let cosineThrice = cosineTwice * cosine - sineTwice * sine
        return strength
            * (0.8 * cosine
                + 0.35 * (cosineTwice * cos(harmonicPhase) - sineTwice * sin(harmonicPhase))
                + 0.12 * cosineThrice)
    }

    /// Rotates up, forward and sideways into the sensor's x, y, z, and adds gravity and noise.
    private mutating func inSensorAxes(
        _ vertical: Double, _ forward: Double, _ sideways: Double, _ swingAngle: Double,
        _ swingRate: Double
    ) -> MotionSample {
        let up = vertical + (settings.includesGravity ? 1 : 0)
        let cosSwing = cos(swingAngle)
        let sinSwing = sin(swingAngle)
        // Pitch and swing turn about z, roll about x.
        let cosine = cosPitch * cosSwing - sinPitch * sinSwing
        let sine = sinPitch * cosSwing + cosPitch * sinSwing
        let x = up * cosine - forward * sine
        let along = up * sine + forward * cosine
        let y = along * cosRoll - sideways * sinRoll
        let z = along * sinRoll + sideways * cosRoll
        let noise = settings.accelerationNoise
        let acceleration = SIMD3<Float>(
            onGrid(x + noise * generator.gaussian(), 1024),
            onGrid(y + noise * generator.gaussian(), 1024),
            onGrid(z + noise * generator.gaussian(), 1024))
        guard settings.hasGyroscope else { return MotionSample(acceleration: acceleration) }
        let rotation = SIMD3<Float>(
            onGrid(0.15 * swingRate + 0.05 * generator.gaussian(), 800),
            onGrid(-sinRoll * swingRate + 0.05 * generator.gaussian(), 800),
            onGrid(cosRoll * swingRate + 0.05 * generator.gaussian(), 800))
        return MotionSample(acceleration: acceleration, rotation: rotation)
    }

    /// Rounds to the wire's grid, within the sensor's range, so that encoding is lossless.
    private func onGrid(_ value: Double, _ steps: Double) -> Float {
        let scaled = min(max(value * steps, -32_000), 32_000)
        let whole = Int32(scaled + (scaled < 0 ? -0.5 : 0.5))
        // The same operation as in decoding: a factor if that is exact, otherwise a division.
        return steps == 1024 ? Float(whole) * (1 / 1024) : Float(whole) / 800
    }

    private mutating func turn() {
        cosPitch = cos(pitch)
        sinPitch = sin(pitch)
        cosRoll = cos(roll)
        sinRoll = sin(roll)
    }

    /// Returns the strength of a step's first harmonic, g.
    private static func strength(_ speed: Double) -> Double {
        speed < Body.runningSpeed ? 0.12 + 0.12 * speed : 0.55 + 0.18 * speed
    }
}
