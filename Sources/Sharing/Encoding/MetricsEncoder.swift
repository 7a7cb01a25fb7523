import SensorModel

/// Encodes each field of ``Metrics`` as its fragment's value.
enum MetricsEncoder {
    /// - Returns: `false` if the field is missing; nothing was written.
    static func write(_ key: FieldKey, of metrics: Metrics, to json: inout ViewerJSON) -> Bool {
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
        case .measured: write(metrics.measured, to: &json)
        case .gps: metrics.gpsQuality.map { write($0, to: &json) } != nil
        case .steps: metrics.steps.map { json.integer(Int64($0)) } != nil
        case .autoPaused: bool(metrics.autoPaused, &json)
        case .charging: bool(metrics.charging, &json)
        case .pausedSeconds: writePausedSeconds(of: metrics, to: &json)
        // ``SessionFields`` writes these: they are not in the metrics, or differ by scope.
        case .startedAt, .splits, .alerts: false
        default: writeNumber(key, of: metrics, to: &json)
        }
    }

    private static func writeNumber(
        _ key: FieldKey, of metrics: Metrics, to json: inout ViewerJSON
    ) -> Bool {
        guard let (value, decimals) = key.number(of: metrics), let value, value.isFinite else {
            return false
        }
        json.number(value, decimals: decimals)
        return true
    }

    /// Writes the paused time as the difference of the rounded elapsed and moving times, so that
    /// the two parts add up to the last digit.
    private static func writePausedSeconds(of metrics: Metrics, to json: inout ViewerJSON) -> Bool {
        let elapsed = (metrics.elapsedSeconds * 10).rounded()
        let moving = (metrics.movingSeconds * 10).rounded()
        json.number((elapsed - moving) / 10, decimals: Decimals.seconds)
        return true
    }

    private static func write(zoneSeconds: [Double], to json: inout ViewerJSON) -> Bool {
        guard !zoneSeconds.isEmpty else { return false }
        json.raw("[")
        for (index, seconds) in zoneSeconds.enumerated() {
            if index > 0 { json.raw(",") }
            json.number(seconds, decimals: Decimals.seconds)
        }
        json.raw("]")
        return true
    }

    private static func text(_ text: String, _ json: inout ViewerJSON) -> Bool {
        json.text(text)
        return true
    }

    private static func bool(_ value: Bool?, _ json: inout ViewerJSON) -> Bool {
        guard let value else { return false }
        json.bool(value)
        return true
    }
}
