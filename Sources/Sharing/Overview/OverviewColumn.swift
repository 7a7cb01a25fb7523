import SensorModel

/// The values of a point of an overview, in their order in an answer. Names, scopes and decimals
/// are those of an `update`; only positions are coarser.
enum OverviewColumn: CaseIterable {
    case bpm
    case zone
    case stepsPerMinute
    case distanceMeters
    case speedMetersPerSecond
    case paceSecondsPerKm
    case latitude
    case longitude
    case altitudeMeters
    case paused

    var name: String { String(describing: self) }

    /// The scope that a share needs to show this column.
    var neededScope: Scope {
        switch self {
        case .bpm, .zone: FieldKey.heartRate.neededScope
        case .stepsPerMinute: FieldKey.cadence.neededScope
        case .distanceMeters: FieldKey.distanceMeters.neededScope
        case .speedMetersPerSecond: FieldKey.speedMetersPerSecond.neededScope
        case .paceSecondsPerKm: FieldKey.paceSecondsPerKm.neededScope
        case .latitude, .longitude, .altitudeMeters: FieldKey.position.neededScope
        case .paused: FieldKey.state.neededScope
        }
    }

    var decimals: Int {
        switch self {
        case .bpm: Decimals.heartRate
        case .zone, .paused: 0
        case .stepsPerMinute: Decimals.cadence
        case .distanceMeters: Decimals.distanceMeters
        case .speedMetersPerSecond: Decimals.speed
        case .paceSecondsPerKm: Decimals.pace
        // 0.1 m: further digits do not compress, and no screen shows them.
        case .latitude, .longitude: 6
        case .altitudeMeters: Decimals.elevationMeters
        }
    }

    /// The value, or `nil` if it is missing or not of this moment.
    func value(of metrics: Metrics) -> Double? {
        switch self {
        case .bpm: Self.current(metrics.heartRate, \.state)?.beatsPerMinute
        case .zone: Self.current(metrics.heartRate, \.state)?.zone.map(Double.init)
        case .stepsPerMinute: Self.current(metrics.cadence, \.state)?.stepsPerMinute
        case .distanceMeters: metrics.distanceMeters
        case .speedMetersPerSecond: metrics.speedMetersPerSecond
        case .paceSecondsPerKm: metrics.paceSecondsPerKm
        case .latitude: Self.current(metrics.position, \.state)?.latitude
        case .longitude: Self.current(metrics.position, \.state)?.longitude
        case .altitudeMeters: Self.current(metrics.position, \.state)?.altitudeMeters
        case .paused: metrics.state == .paused || metrics.autoPaused ? 1 : 0
        }
    }

    private static func current<Part>(
        _ part: Part?, _ state: (Part) -> ValueState
    ) -> Part? {
        part.flatMap { state($0) == .stale || state($0) == .waiting ? nil : $0 }
    }
}
