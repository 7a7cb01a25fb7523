import Glibc
import SensorModel

/// Removes gravity from an acceleration that includes it.
///
/// The direction of gravity is tracked in the sensor's own axes. The gyroscope rotates it, and the
/// mean of the acceleration corrects it slowly, because steps and swings cancel out over a few
/// strides. Its length is 1 g. (Mahony, Hamel, Pflimlin 2008: the complementary filter on vectors.)
struct GravityFilter {
    struct Parameters {
        /// Seconds of acceleration in the mean with a gyroscope: several strides, and short enough
        /// to correct the gyroscope's drift.
        var turningSeconds = 3.0
        /// Seconds without a gyroscope, when the mean must also follow turns of the body.
        var fixedSeconds = 0.5
        /// A longer hole restarts the filter, seconds.
        var holeSeconds = 2.0
    }

    private typealias Vector = SIMD3<Double>

    private let parameters: Parameters
    private var gravity: Vector?
    private var last: Timestamp?
    /// Seconds since the filter started. While few, the mean is over all of them.
    private var seconds = 0.0

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    /// - Parameters:
    ///   - sample: Acceleration with gravity.
    ///   - hasRotation: Whether the sample's rotation is measured.
    ///   - time: Time of the sample.
    /// - Returns: Acceleration without gravity, g.
    mutating func remove(
        from sample: MotionSample, hasRotation: Bool, at time: Timestamp
    ) -> SIMD3<Float> {
        let acceleration = Vector(sample.acceleration)
        let step = last.map { time.seconds(since: $0) } ?? 0
        last = time
        guard var gravity, step >= 0, step <= parameters.holeSeconds else {
            seconds = 0
            self.gravity = Self.unit(acceleration)
            return SIMD3<Float>(acceleration - (self.gravity ?? .zero))
        }
        seconds += step
        if hasRotation {
            // A vector at rest in the world rotates the other way in the sensor's axes.
            gravity += Self.cross(gravity, Vector(sample.rotation)) * step
        }
        let window = hasRotation ? parameters.turningSeconds : parameters.fixedSeconds
        let share = step / max(min(window, seconds), step, 1e-6)
        gravity += (acceleration - gravity) * share
        let unit = Self.unit(gravity)
        self.gravity = unit
        return SIMD3<Float>(acceleration - (unit ?? .zero))
    }

    /// Returns `nil` for a vector without a direction, for example in free fall.
    private static func unit(_ vector: Vector) -> Vector? {
        let length = (vector * vector).sum().squareRoot()
        return length > 1e-3 ? vector / length : nil
    }

    private static func cross(_ a: Vector, _ b: Vector) -> Vector {
        Vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }
}
