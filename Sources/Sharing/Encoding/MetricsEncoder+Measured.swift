import SensorModel

/// Encodes the values that sensors computed themselves.
extension MetricsEncoder {
    static func write(_ measured: [MeasuredMetric], to json: inout ViewerJSON) -> Bool {
        guard !measured.isEmpty else { return false }
        json.raw("[")
        for (index, metric) in measured.enumerated() {
            if index > 0 { json.raw(",") }
            write(metric, to: &json)
        }
        json.raw("]")
        return true
    }

    private static func write(_ metric: MeasuredMetric, to json: inout ViewerJSON) {
        JSONObject.write(to: &json) { object, json in
            object.text("source", metric.values.source, &json)
            object.text("placement", metric.values.placement?.name, &json)
            object.text("state", metric.state.name, &json)
            object.number("ageSeconds", metric.ageSeconds, decimals: Decimals.ageSeconds, &json)
            for quantity in metric.values.quantities {
                guard let (name, decimals) = quantity.shown else { continue }
                object.number(name, metric.values[quantity], decimals: decimals, &json)
            }
            object.key("standsIn", &json)
            json.raw("[")
            for (index, name) in metric.standsIn.compactMap(\.ownField).enumerated() {
                if index > 0 { json.raw(",") }
                json.text(name)
            }
            json.raw("]")
        }
    }
}

extension MeasuredValues.Quantity {
    /// The key, which includes the unit, and its decimals; `nil` for a running total, which also
    /// counts the time before a viewer may see anything.
    fileprivate var shown: (name: String, decimals: Int)? {
        switch self {
        case .cadence: ("stepsPerMinute", Decimals.cadence)
        case .pedalCadence: ("revolutionsPerMinute", Decimals.cadence)
        case .power: ("powerWatts", Decimals.power)
        case .speed: ("speedMetersPerSecond", Decimals.speed)
        case .strideLength: ("strideLengthMeters", Decimals.strideMeters)
        case .groundContact: ("groundContactSeconds", Decimals.contactSeconds)
        case .groundContactPercent: ("groundContactPercent", Decimals.percent)
        case .groundContactBalance: ("groundContactBalancePercent", Decimals.percent)
        case .verticalOscillation: ("verticalOscillationMeters", Decimals.oscillationMeters)
        case .verticalRatio: ("verticalRatioPercent", Decimals.percent)
        case .inclination: ("inclinationPercent", Decimals.percent)
        case .stepCount, .distance, .energy: nil
        }
    }

    /// The field that holds the session's own value, or `nil` if there is none.
    fileprivate var ownField: String? {
        switch self {
        case .cadence: FieldKey.cadence.name
        case .stepCount: FieldKey.steps.name
        case .speed: FieldKey.speedMetersPerSecond.name
        case .distance: FieldKey.distanceMeters.name
        default: nil
        }
    }
}
