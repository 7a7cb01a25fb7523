import Glibc

/// Simulates the legs and heart of a runner who follows a plan.
struct Body: Sendable {
    /// Speed below which the runner stands, m/s, because nobody walks so slowly.
    static let standingSpeed = 0.4
    static let runningSpeed = 2.0

    let settings: RunnerSettings
    /// Factor of this runner's cadence: some runners take shorter steps.
    private let cadenceFactor: Double
    private var generator: SeededGenerator
    private var wander = 0.0

    private(set) var speed = 0.0
    private(set) var distance = 0.0
    /// Steps so far; the whole part is the count.
    private(set) var stepPhase = 0.0
    /// Steps/min.
    private(set) var cadence = 0.0
    private(set) var heartRate: Double
    /// Slow rise of the heart rate at the same speed, beats/min.
    private var drift = 0.0

    init(_ settings: RunnerSettings, _ generator: SeededGenerator) {
        self.settings = settings
        self.generator = generator
        cadenceFactor = 0.96 + 0.08 * self.generator.uniform()
        heartRate = settings.restingHeartRate + 15
    }

    var isStanding: Bool { speed < Self.standingSpeed }

    /// - Parameters:
    ///   - target: Speed of the plan, m/s.
    ///   - seconds: A small time step.
    mutating func advance(to target: Double, by seconds: Double) {
        let before = speed
        // A start takes about a second, a stop less.
        let tau = target < speed ? 0.7 : 1.3
        let wanted = target > 0 ? max(target + wander, 0) : 0
        speed += (wanted - speed) * min(seconds / tau, 1)
        if target == 0, speed < 0.02 { speed = 0 }
        distance += (before + speed) / 2 * seconds
        cadence = isStanding ? 0 : cadenceFactor * Self.usualCadence(speed)
        stepPhase += cadence / 60 * seconds
    }

    /// Advances the slow changes. The caller calls it once a second.
    mutating func advanceSecond() {
        wander = 0.95 * wander + 0.03 * generator.gaussian()
        let effort = min(speed / settings.maxAerobicSpeed, 1.05)
        if !isStanding { drift = min(drift + 0.004, 15) }
        let reserve = settings.maxHeartRate - settings.restingHeartRate
        let target =
            settings.restingHeartRate + 12 + reserve * 0.93 * effort
            + (isStanding ? drift / 2 : drift)
        // The heart rate rises within half a minute and falls more slowly.
        heartRate +=
            (min(target, settings.maxHeartRate) - heartRate) / (target > heartRate ? 28 : 45)
        heartRate += 0.15 * generator.gaussian()
        heartRate = min(max(heartRate, 35), 220)
    }

    /// Returns the usual cadence of people at a speed, steps/min.
    private static func usualCadence(_ speed: Double) -> Double {
        speed < runningSpeed ? 68 + 30 * speed : 141 + 9.5 * speed
    }
}
