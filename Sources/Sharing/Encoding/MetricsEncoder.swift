import SensorModel

/// Spells each field of ``Metrics`` as its fragment's value.
enum MetricsEncoder {
    /// - Returns: `false` when the field is missing; nothing was written.
    static func write(_ key: FieldKey, of metrics: Metrics, to json: inout JSONWriter) -> Bool {
        switch key {
        case .state: text(metrics.state.name, &json)
        case .heartRate: metrics.heartRate.map { write($0, to: &json) } != nil
        case .cadence: metrics.cadence.map { write($0, to: &json) } != nil
        case .position: metrics.position.map { write($0, to: &json) } != nil
        case .zoneSeconds: write(zoneSeconds: metrics.zoneSeconds, to: &json)
        case .trainingLoad: metrics.trainingLoad.map { write($0, to: &json) } != nil
        case .finishEstimate: metrics.finishEstimate.map { write($0, to: &json) } != nil
        case .course: metrics.course.map { write($0, to: &json) } != nil
        case .interval: metrics.interval.map { write($0, to: &json) } != nil
        case .gps: metrics.gpsQuality.map { write($0, to: &json) } != nil
        case .steps: metrics.steps.map { json.integer(Int64($0)) } != nil
        case .autoPaused: bool(metrics.autoPaused, &json)
        case .charging: bool(metrics.charging, &json)
        case .pausedSeconds: writePausedSeconds(of: metrics, to: &json)
        // Kept by ``SessionFields``: they are not in the metrics, or differ by scope.
        case .startedAt, .splits, .alerts: false
        default: writeNumber(key, of: metrics, to: &json)
        }
    }

    private static func writeNumber(
        _ key: FieldKey, of metrics: Metrics, to json: inout JSONWriter
    ) -> Bool {
        guard let (value, decimals) = number(key, of: metrics) else { return false }
        guard let value, value.isFinite else { return false }
        json.number(value, decimals: decimals)
        return true
    }

    private static func number(_ key: FieldKey, of metrics: Metrics) -> (Double?, Int)? {
        switch key {
        case .distanceMeters: (metrics.distanceMeters, Decimals.distanceMeters)
        case .distanceUncertaintyMeters:
            (metrics.distanceUncertaintyMeters, Decimals.distanceMeters)
        case .speedMetersPerSecond: (metrics.speedMetersPerSecond, Decimals.speed)
        case .speedUncertainty: (metrics.speedUncertaintyMetersPerSecond, Decimals.speed)
        case .paceSecondsPerKm: (metrics.paceSecondsPerKm, Decimals.pace)
        case .gradeAdjustedPaceSecondsPerKm:
            (metrics.gradeAdjustedPaceSecondsPerKm, Decimals.pace)
        case .elapsedSeconds: (metrics.elapsedSeconds, Decimals.seconds)
        case .movingSeconds: (metrics.movingSeconds, Decimals.seconds)
        case .elevationGainMeters: (metrics.elevationGainMeters, Decimals.elevationMeters)
        case .elevationLossMeters: (metrics.elevationLossMeters, Decimals.elevationMeters)
        case .gradePercent: (metrics.gradePercent, Decimals.percent)
        case .averageHeartRate: (metrics.averageHeartRate, Decimals.heartRate)
        case .maxHeartRate: (metrics.maxHeartRate, Decimals.heartRate)
        case .targetZonePercent: (metrics.targetZonePercent, Decimals.percent)
        case .averageCadence: (metrics.averageCadence, Decimals.cadence)
        case .caloriesKcal: (metrics.caloriesKcal, Decimals.kilocalories)
        case .effortKm: (metrics.effortKm, Decimals.effortKm)
        case .decouplingPercent: (metrics.decouplingPercent, Decimals.percent)
        case .battery: (metrics.battery, Decimals.battery)
        default: nil
        }
    }

    /// What is left of the elapsed time as it was written, so that the two parts add up to the
    /// last digit.
    private static func writePausedSeconds(of metrics: Metrics, to json: inout JSONWriter) -> Bool {
        let elapsed = (metrics.elapsedSeconds * 10).rounded()
        let moving = (metrics.movingSeconds * 10).rounded()
        json.number((elapsed - moving) / 10, decimals: Decimals.seconds)
        return true
    }

    private static func write(zoneSeconds: [Double], to json: inout JSONWriter) -> Bool {
        guard !zoneSeconds.isEmpty else { return false }
        json.raw("[")
        for (index, seconds) in zoneSeconds.enumerated() {
            if index > 0 { json.raw(",") }
            json.number(seconds, decimals: Decimals.seconds)
        }
        json.raw("]")
        return true
    }

    private static func text(_ text: String, _ json: inout JSONWriter) -> Bool {
        json.text(text)
        return true
    }

    private static func bool(_ value: Bool?, _ json: inout JSONWriter) -> Bool {
        guard let value else { return false }
        json.bool(value)
        return true
    }
}
