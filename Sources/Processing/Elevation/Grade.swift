import SensorModel

/// Slope of the last stretch of path, and the cost of running on it (Minetti et al. 2002).
struct Grade: Sendable {
    struct Parameters: Sendable {
        /// Meters of path for a slope: with a barometer, and from positions, whose altitude is
        /// several meters off.
        var stretchMeters = 50.0
        var stretchMetersByPosition = 150.0
        /// Meters between the stored points.
        var spacingMeters = 10.0
        /// Limit of the slopes for which the cost was measured, rise over run.
        var gradeMax = 0.45
    }

    let parameters = Parameters()
    private var points: [(meters: Double, altitude: Double)] = []
    private(set) var grade: Double?

    mutating func add(meters: Double, altitude: Double, hasBarometer: Bool) {
        if let last = points.last, meters - last.meters < parameters.spacingMeters { return }
        points.append((meters, altitude))
        let stretch =
            hasBarometer ? parameters.stretchMeters : parameters.stretchMetersByPosition
        while points.count > 1, meters - points[1].meters >= stretch { points.removeFirst() }
        guard let first = points.first, meters - first.meters >= stretch else { return }
        let slope = (altitude - first.altitude) / (meters - first.meters)
        grade = min(max(slope, -parameters.gradeMax), parameters.gradeMax)
    }

    /// Energy of running, J/kg/m, at a slope (rise over run) within ±0.45.
    static func cost(_ slope: Double) -> Double {
        let i = min(max(slope, -0.45), 0.45)
        return ((((155.4 * i - 30.4) * i - 43.3) * i + 46.3) * i + 19.5) * i + 3.6
    }

    /// The energy cost relative to flat ground.
    static func factor(_ slope: Double) -> Double { cost(slope) / cost(0) }
}
