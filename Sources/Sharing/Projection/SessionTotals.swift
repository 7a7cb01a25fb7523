import SensorModel

/// The totals in a session's metrics.
///
/// The totals of hidden stretches are summed here and subtracted from the session's own. So the
/// shown totals begin at 0 with the first shown point and stay constant while the runner is hidden.
struct SessionTotals: Hashable, Sendable {
    var elapsedSeconds = 0.0
    var movingSeconds = 0.0
    var distanceMeters = 0.0
    var distanceUncertaintyMeters = 0.0
    var elevationGainMeters = 0.0
    var elevationLossMeters = 0.0
    var steps = 0
    var caloriesKcal = 0.0
    var effortKm = 0.0
    var trimp = 0.0
    var edwards = 0.0
    var zoneSeconds: [Double] = []
    /// Average heart rate times the time in zones, beats/min × s.
    var beats = 0.0

    init() {}

    init(_ metrics: Metrics) {
        elapsedSeconds = metrics.elapsedSeconds
        movingSeconds = metrics.movingSeconds
        distanceMeters = metrics.distanceMeters ?? 0
        distanceUncertaintyMeters = metrics.distanceUncertaintyMeters ?? 0
        elevationGainMeters = metrics.elevationGainMeters ?? 0
        elevationLossMeters = metrics.elevationLossMeters ?? 0
        steps = metrics.steps ?? 0
        caloriesKcal = metrics.caloriesKcal ?? 0
        effortKm = metrics.effortKm ?? 0
        trimp = metrics.trainingLoad?.trimp ?? 0
        edwards = metrics.trainingLoad?.edwards ?? 0
        zoneSeconds = metrics.zoneSeconds
        beats = (metrics.averageHeartRate ?? 0) * heartRateSeconds
    }

    var heartRateSeconds: Double { zoneSeconds.reduce(0, +) }

    /// Adds the difference between `start` and `end`, except climb: see ``ShownClimb``.
    mutating func add(from start: SessionTotals, to end: SessionTotals) {
        elapsedSeconds += end.elapsedSeconds - start.elapsedSeconds
        movingSeconds += end.movingSeconds - start.movingSeconds
        distanceMeters += end.distanceMeters - start.distanceMeters
        distanceUncertaintyMeters +=
            end.distanceUncertaintyMeters - start.distanceUncertaintyMeters
        steps += end.steps - start.steps
        caloriesKcal += end.caloriesKcal - start.caloriesKcal
        effortKm += end.effortKm - start.effortKm
        trimp += end.trimp - start.trimp
        edwards += end.edwards - start.edwards
        let count = max(zoneSeconds.count, end.zoneSeconds.count)
        zoneSeconds = (0..<count).map { zone in
            Self.zone(zone, of: zoneSeconds) + Self.zone(zone, of: end.zoneSeconds)
                - Self.zone(zone, of: start.zoneSeconds)
        }
    }

    /// Subtracts the totals from a session's values; missing values stay missing.
    func subtract(from metrics: inout Metrics) {
        metrics.elapsedSeconds = max(0, metrics.elapsedSeconds - elapsedSeconds)
        metrics.movingSeconds = max(0, metrics.movingSeconds - movingSeconds)
        metrics.pausedSeconds = max(0, metrics.elapsedSeconds - metrics.movingSeconds)
        Self.subtract(distanceMeters, from: &metrics.distanceMeters)
        // The uncertainty grows with the whole path, so it would reveal the path's length.
        Self.subtract(distanceUncertaintyMeters, from: &metrics.distanceUncertaintyMeters)
        Self.subtract(caloriesKcal, from: &metrics.caloriesKcal)
        Self.subtract(effortKm, from: &metrics.effortKm)
        metrics.steps = metrics.steps.map { max(0, $0 - steps) }
        if var load = metrics.trainingLoad {
            Self.subtract(trimp, from: &load.trimp)
            Self.subtract(edwards, from: &load.edwards)
            metrics.trainingLoad = load
        }
        metrics.zoneSeconds = metrics.zoneSeconds.indices.map { zone in
            max(0, metrics.zoneSeconds[zone] - Self.zone(zone, of: zoneSeconds))
        }
    }

    private static func subtract(_ hidden: Double, from value: inout Double?) {
        value = value.map { max(0, $0 - hidden) }
    }

    private static func zone(_ zone: Int, of seconds: [Double]) -> Double {
        zone < seconds.count ? seconds[zone] : 0
    }
}
