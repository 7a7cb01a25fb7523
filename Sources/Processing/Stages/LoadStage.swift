import SensorModel

/// Computes the training load of the session.
///
/// - In: shown heart rates, speed, meters, climb, moving time.
/// - Out: nothing.
struct LoadStage: Sendable {
    /// Minimum speed of running, m/s.
    private static let movingAbove = 0.5

    /// Five zones by percent of maximum.
    private var zones: ZoneBounds
    private var stress = TrainingStress()
    private var targetZone = TargetZone()
    private var decoupling = Decoupling()

    init(profile: RunnerProfile) {
        zones = Self.zones(of: profile)
    }

    mutating func set(profile: RunnerProfile) {
        zones = Self.zones(of: profile)
    }

    private static func zones(of profile: RunnerProfile) -> ZoneBounds {
        var plain = profile
        plain.zones = .percentOfMaximum
        return ZoneBounds(profile: plain)
    }

    mutating func add(_ reading: HeartRateStage.Reading, profile: RunnerProfile) {
        stress.add(
            reading.beatsPerMinute, zone: zones.zone(reading.beatsPerMinute),
            seconds: reading.seconds, profile: profile)
        targetZone.add(zone: reading.zone, target: profile.targetZone, seconds: reading.seconds)
    }

    /// - Parameters:
    ///   - beatsPerMinute: Live heart rate; `nil` if there is none.
    ///   - metersPerSecond: Speed; `nil` while paused or unknown.
    mutating func tick(beatsPerMinute: Double?, metersPerSecond: Double?) {
        guard let beatsPerMinute, let metersPerSecond, metersPerSecond > Self.movingAbove else {
            return
        }
        decoupling.add(meters: metersPerSecond, beatsPerMinute: beatsPerMinute)
    }

    /// - Parameters:
    ///   - shown: Metrics that already have the heart rate, the distance, the climb and the times.
    ///   - profile: The current profile.
    func show(in shown: inout Metrics, profile: RunnerProfile) {
        if shown.heartRate != nil {
            shown.trainingLoad = stress.load(profile: profile)
            shown.targetZonePercent = targetZone.percent
            shown.decouplingPercent = decoupling.percent
        }
        guard let meters = shown.distanceMeters else { return }
        shown.effortKm = Energy.effortKm(meters: meters, gainMeters: shown.elevationGainMeters)
        shown.caloriesKcal = Energy.kilocalories(
            meters: meters, movingSeconds: shown.movingSeconds, weightKg: profile.weightKg)
    }
}
