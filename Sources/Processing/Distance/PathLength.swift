import SensorModel

/// Length of a track without the length of its noise.
///
/// Scatter adds to a polyline: at a slow walk and 1 Hz some 2 to 10 %. Two remedies, both driven by
/// the scatter that the track itself shows, so that a watch that smooths already is left as it is:
/// points within a tolerance of a straight chord do not bend it (a streaming form of Reumann and
/// Witkam 1974), and of each chord the lengthening is taken off that its scatter must have caused
/// (a chord of length L across which the ends scatter by σ² is longer by σ²/2L in the mean).
///
///     anchor ----.--'--.---- newest      one chord, the dots are within the tolerance
struct PathLength: Sendable {
    struct Parameters: Sendable {
        /// Meters; below it lies the roughness of real turns at running speed.
        var toleranceMin = 0.15
        /// Meters; above it corners would be cut.
        var toleranceMax = 1.5
        /// Tolerance in units of the scatter.
        var scatterFactor = 1.2
        /// Of a new residual in the scatter: half a minute of fixes.
        var scatterGain = 0.03
        /// The residual of a step against its neighbours has 1.5 times the step's variance when
        /// steps scatter one by one, 2.5 times when positions do; between the two.
        var residualShare = 1.5
        /// The same for positions without an accuracy: they come from a watch's own filtered track,
        /// whose scatter has lost its fast half and shows as if it were larger.
        var residualShareFiltered = 3.0
        /// Steps longer than this bend too much to tell scatter from turns, seconds.
        var stepSecondsMax = 2.5
        /// At most this share of a chord is taken off: below, it is standing, not walking.
        var excessShareMax = 0.3
        /// A chord bends no sooner than where its scatter lengthens it by less than this share:
        /// shorter ones follow the noise, longer ones cut corners.
        var excessShareWanted = 0.015
        /// Points a chord may span; bounds the work and the state.
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
    /// Mean step of the last ten: scatter averages out, a way does not.
    private var drift = SIMD2<Double>.zero
    private var steps: (older: SIMD2<Double>, newer: SIMD2<Double>)?

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    private var tolerance: Double {
        let wanted = parameters.scatterFactor * scatter.squareRoot()
        return min(max(wanted, parameters.toleranceMin), parameters.toleranceMax)
    }

    /// Starts anew here; what was measured stays.
    mutating func restart(at location: Location) {
        committed = meters
        anchor = (location.latitude, location.longitude)
        points.removeAll(keepingCapacity: true)
        steps = nil
    }

    /// - Parameters:
    ///   - location: The next fix.
    ///   - seconds: Since the last one.
    /// - Returns: Meters this fix adds, never negative.
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

    /// A chord less what its scatter must have added.
    private func way(_ chord: SIMD2<Double>, steps: Int) -> Double {
        let length = length(chord)
        guard length > 0 else { return 0 }
        let excess = Double(steps) * scatter / (2 * length)
        return length - min(excess, parameters.excessShareMax * length)
    }

    private func length(_ vector: SIMD2<Double>) -> Double {
        (vector * vector).sum().squareRoot()
    }

    /// How much scatter lengthens a single step, as a share of it.
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

    /// A step against the mean of its neighbours: a steady turn leaves nothing, scatter does.
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
        // A single leap or a street corner says nothing about the scatter.
        let bounded = min(across * across, 6 * scatter + 0.02)
        scatter += parameters.scatterGain * (bounded / residualShare - scatter)
    }
}
