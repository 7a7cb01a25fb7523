import Glibc

/// The way that speed and course make, fix by fix.
///
/// The trapezoidal rule on velocities: over turns that begin at any moment between two fixes it
/// makes the true way in the mean. (The whole of a step along the mean of its two courses makes
/// 0.1 to 0.25 % too much of streets with corners.) But noise of courses shortens the mean of
/// velocities by half its variance, so that much is given back.
///
/// The variance is taken from the second difference of courses, which white noise makes six times
/// its own variance of and a smooth way nothing.
struct DeadReckoning: Sendable {
    struct Parameters: Sendable {
        /// Weight of a new step in the variance of courses: two minutes of fixes.
        var noiseGain = 0.01
        /// Before anything is seen, rad²: 3°.
        var noiseFirst = 0.0025
        /// A square counts as at most this many variances, which costs noise 3 % of its variance:
        /// what is larger is a corner.
        var squareMax = 6.0
        /// Slower than this, m/s, courses say nothing …
        var speedMin = 0.7
        /// … nor do they when so many seconds lie between them.
        var secondsMax = 3.0
    }

    typealias Vector = SIMD2<Double>

    let parameters: Parameters
    /// East and north at the last fix, m/s.
    private var velocity: Vector?
    /// From the fix before the last one to the last, radians.
    private var turn: Double?
    /// Of the noise of one course, rad².
    private(set) var courseVariance: Double

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
        courseVariance = parameters.noiseFirst
    }

    /// The next step has no beginning.
    mutating func forget() {
        velocity = nil
        turn = nil
    }

    /// - Parameters:
    ///   - speed: At the end of the step, m/s.
    ///   - course: There, degrees clockwise from north.
    ///   - seconds: Of the step.
    /// - Returns: Meters east and north.
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
