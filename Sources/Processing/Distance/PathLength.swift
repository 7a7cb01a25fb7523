import SensorModel

/// Measures the length of a track without the length of its noise.
///
/// Scatter lengthens a polyline by 2 to 10 % at a slow walk and 1 Hz. Two remedies use the scatter
/// of the track itself, so that a smoothed track stays as it is. Points within a tolerance of a
/// straight chord do not bend it (a streaming form of Reumann and Witkam 1974). Each chord is
/// shortened by the mean effect of its scatter: if the ends of a chord of length L scatter across
/// it by σ², it is longer by σ²/2L.
///
///     anchor ----.--'--.---- newest      one chord; the dots are within the tolerance
struct PathLength: Sendable {
    struct Parameters: Sendable {
        /// Minimum tolerance, meters: the roughness of real turns at running speed.
        var toleranceMin = 0.15
        /// Largest tolerance, meters: more would cut corners.
        var toleranceMax = 1.5
        /// Tolerance in units of the scatter.
        var scatterFactor = 1.2
        /// Weight of a new residual in the scatter: half a minute of fixes.
        var scatterGain = 0.03
        /// Variance of a step's residual against its neighbors, over the variance of the step: 1.5
        /// if steps scatter independently, 2.5 if positions do.
        var residualShare = 1.5
        /// The same for positions without an accuracy. They come from a watch's filtered track,
        /// which lacks the fast half of its scatter and makes it look larger.
        var residualShareFiltered = 3.0
        /// Longest step, seconds, for the scatter: longer ones bend too much.
        var stepSecondsMax = 2.5
        /// Largest share removed from a chord; beyond it the runner stands.
        var excessShareMax = 0.3
        /// A chord may bend once scatter lengthens it by less than this share. Shorter chords
        /// follow the noise, longer ones cut corners.
        var excessShareWanted = 0.015
        /// Points in a chord; limits the work and the state.
        var chordPointsMax = 16
    }

    let parameters: Parameters
    private(set) var meters = 0.0
    /// Variance of a step across its direction, m².
    private(set) var scatter = 0.0
    private var committed = 0.0
    private var anchor: (latitude: Double, longitude: Double)?
    /// Offsets from the anchor, oldest first.
    private var points: [SIMD2<Double>] = []
    /// Running mean of about ten steps: scatter averages out, a path does not.
    private var drift = SIMD2<Double>.zero
    private var steps: (older: SIMD2<Double>, newer: SIMD2<Double>)?

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    private var tolerance: Double {
        let wanted = parameters.scatterFactor * scatter.squareRoot()
        return min(max(wanted, parameters.toleranceMin), parameters.toleranceMax)
    }

    /// Restarts at `location`; the measured meters stay.
    mutating func restart(at location: Location) {
        committed = meters
        anchor = (location.latitude, location.longitude)
        points.removeAll(keepingCapacity: true)
        steps = nil
    }

    /// - Parameters:
    ///   - location: The next fix.
    ///   - seconds: Seconds since the last fix.
    /// - Returns: Meters added by this fix, never negative.
    mutating func add(_ location: Location, seconds: Double) -> Double {
        guard let anchor else {
            restart(at: location)
            return 0
        }
        let before = meters
        var point = Geodesy.offset(of: (location.latitude, location.longitude), from: anchor)
        let share =
            location.horizontalAccuracy == nil
            ? parameters.residualShareFiltered : parameters.residualShare
        noteScatter(point - (points.last ?? .zero), seconds: seconds, residualShare: share)
        noteStep(point - (points.last ?? .zero))
        if points.count >= parameters.chordPointsMax || bends(at: point), let last = points.last {
            committed += way(last, steps: points.count)
            let radians = Double.pi / 180
            let latitude = anchor.latitude + last.y / (radians * Geodesy.earthRadiusMeters)
            let scale = Geodesy.offset(
                of: (anchor.latitude, anchor.longitude + 1), from: anchor
            ).x
            self.anchor = (latitude, anchor.longitude + last.x / scale)
            point -= last
            points.removeAll(keepingCapacity: true)
        }
        points.append(point)
        meters = max(meters, committed + way(point, steps: points.count))
        return meters - before
    }

    /// Length of a chord without the effect of its scatter.
    private func way(_ chord: SIMD2<Double>, steps: Int) -> Double {
        let length = length(chord)
        guard length > 0 else { return 0 }
        let excess = Double(steps) * scatter / (2 * length)
        return length - min(excess, parameters.excessShareMax * length)
    }

    private func length(_ vector: SIMD2<Double>) -> Double {
        (vector * vector).sum().squareRoot()
    }

    /// The effect of scatter on a single step, as a share of its length.
    var excessOfStep: Double {
        let size = max(length(drift), 0.3)
        return scatter / (2 * size * size)
    }

    private mutating func noteStep(_ step: SIMD2<Double>) {
        drift += 0.1 * (step - drift)
    }

    private func bends(at newest: SIMD2<Double>) -> Bool {
        let shortest = excessOfStep / parameters.excessShareWanted
        guard Double(points.count + 1) >= shortest else { return false }
        let chord = length(newest)
        for point in points {
            guard chord > 0 else {
                if length(point) > tolerance { return true }
                continue
            }
            let along = (point * newest).sum() / chord
            let across = abs(point.x * newest.y - point.y * newest.x) / chord
            if across > tolerance || along > chord + tolerance || along < -tolerance {
                return true
            }
        }
        return false
    }

    /// Learns from a step minus the mean of its neighbors: zero for a steady turn, not for scatter.
    private mutating func noteScatter(
        _ step: SIMD2<Double>, seconds: Double, residualShare: Double
    ) {
        guard seconds <= parameters.stepSecondsMax else {
            steps = nil
            return
        }
        guard let steps else {
            self.steps = (step, step)
            return
        }
        self.steps = (steps.newer, step)
        let mean = (steps.older + step) / 2
        let size = length(mean)
        guard size > 0.1 else { return }
        let residual = steps.newer - mean
        let across = (residual.x * mean.y - residual.y * mean.x) / size
        // A single jump or a street corner must not change the scatter much.
        let bounded = min(across * across, 6 * scatter + 0.02)
        scatter += parameters.scatterGain * (bounded / residualShare - scatter)
    }
}
