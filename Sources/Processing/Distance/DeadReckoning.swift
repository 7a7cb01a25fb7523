import Glibc

/// Computes the path from speed and course, fix by fix.
///
/// It uses the trapezoidal rule on velocities. For turns that begin at any moment between two fixes
/// its mean is the true path. (A whole step along the mean of its two courses adds 0.1 to 0.25 % on
/// streets with corners.) But noise of courses shortens the mean of velocities by half its
/// variance, so that much is added back.
///
/// The variance comes from the second difference of courses: white noise contributes six times its
/// own variance, a smooth path nothing.
struct DeadReckoning: Sendable {
    struct Parameters: Sendable {
        /// Weight of a new step in the variance of courses: two minutes of fixes.
        var noiseGain = 0.01
        /// Initial variance, rad²: 3°.
        var noiseFirst = 0.0025
        /// Limit of a square in variances, which reduces the noise variance by 3 %. A larger value
        /// is a corner.
        var squareMax = 6.0
        /// Speed below which courses are not usable, m/s.
        var speedMin = 0.7
        /// Longest time between two usable courses, seconds.
        var secondsMax = 3.0
    }

    typealias Vector = SIMD2<Double>

    let parameters: Parameters
    /// Velocity east and north at the last fix, m/s.
    private var velocity: Vector?
    /// Change of course between the two last fixes, radians.
    private var turn: Double?
    /// Variance of the noise of one course, rad².
    private(set) var courseVariance: Double

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
        courseVariance = parameters.noiseFirst
    }

    /// Drops the previous velocity and turn.
    mutating func forget() {
        velocity = nil
        turn = nil
    }

    /// - Parameters:
    ///   - speed: Speed at the end of the step, m/s.
    ///   - course: Course there, degrees clockwise from north.
    ///   - seconds: Duration of the step.
    /// - Returns: The step in meters east and north.
    mutating func advance(speed: Double, course: Double, seconds: Double) -> Vector {
        let angle = course * Double.pi / 180
        let now = speed * Vector(sin(angle), cos(angle))
        defer { velocity = now }
        guard let velocity else { return seconds * now }
        noteTurn(from: velocity, to: now, seconds: seconds)
        return seconds / 2 * (1 + courseVariance / 2) * (velocity + now)
    }

    private mutating func noteTurn(from before: Vector, to now: Vector, seconds: Double) {
        let slow = parameters.speedMin * parameters.speedMin
        guard seconds <= parameters.secondsMax, (before * before).sum() > slow,
            (now * now).sum() > slow
        else {
            turn = nil
            return
        }
        let across = before.x * now.y - before.y * now.x
        let newest = atan2(across, (before * now).sum())
        if let turn {
            let square = (newest - turn) * (newest - turn) / 6
            let bounded = min(square, parameters.squareMax * courseVariance)
            courseVariance += parameters.noiseGain * (bounded - courseVariance)
        }
        turn = newest
    }
}
