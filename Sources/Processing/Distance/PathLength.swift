import SensorModel

/// Length of a track without the length of its noise.
///
/// Each fix's scatter adds to a polyline: at a slow walk and 1 Hz some 2 to 10 %. So points that lie
/// within a tolerance of a straight chord do not bend it (a streaming form of Reumann and Witkam
/// 1974). The tolerance follows the track's own roughness, so that a watch that smooths already is
/// left as it is.
///
///     anchor ----.--'--.---- newest      one chord, the dots are within the tolerance
struct PathLength: Sendable {
    struct Parameters: Sendable {
        /// Meters; below it lies the roughness of real turns at running speed.
        var toleranceMin = 0.15
        /// Meters; above it corners would be cut.
        var toleranceMax = 1.5
        /// Tolerance in units of the roughness.
        var roughnessFactor = 1.5
        /// Of a new deviation in the roughness.
        var roughnessGain = 0.03
        /// Points a chord may span; bounds the work and the state.
        var chordPointsMax = 16
    }

    let parameters: Parameters
    private(set) var meters = 0.0
    /// Typical distance of a fix from the middle of its neighbours, meters.
    private(set) var roughness = 0.0
    private var committed = 0.0
    private var anchor: (latitude: Double, longitude: Double)?
    /// Offsets from the anchor, oldest first.
    private var points: [SIMD2<Double>] = []

    init(parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    private var tolerance: Double {
        min(
            max(parameters.roughnessFactor * roughness, parameters.toleranceMin),
            parameters.toleranceMax)
    }

    /// Starts anew here; what was measured stays.
    mutating func restart(at location: Location) {
        committed = meters
        anchor = (location.latitude, location.longitude)
        points.removeAll(keepingCapacity: true)
    }

    /// - Returns: Meters this fix adds, never negative.
    mutating func add(_ location: Location) -> Double {
        guard let anchor else {
            restart(at: location)
            return 0
        }
        let before = meters
        var point = Geodesy.offset(of: (location.latitude, location.longitude), from: anchor)
        noteRoughness(point)
        if points.count >= parameters.chordPointsMax || bends(at: point), let last = points.last {
            committed += length(last)
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
        meters = max(meters, committed + length(point))
        return meters - before
    }

    private func length(_ vector: SIMD2<Double>) -> Double {
        (vector * vector).sum().squareRoot()
    }

    private func bends(at newest: SIMD2<Double>) -> Bool {
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

    private mutating func noteRoughness(_ newest: SIMD2<Double>) {
        guard let last = points.last else { return }
        let before = points.count > 1 ? points[points.count - 2] : .zero
        let deviation = length(last - (before + newest) / 2)
        // A single leap says nothing about the noise.
        let bounded = min(deviation, 3 * roughness + 0.2)
        roughness += parameters.roughnessGain * (bounded - roughness)
    }
}
