public import SensorModel

/// The top-level keys of snapshots and updates, in their order in a message.
///
/// A new number among the metrics needs a case, its scope and its value here; the compiler checks
/// both.
public enum FieldKey: UInt8, CaseIterable, Sendable {
    case state
    case startedAt
    case heartRate
    case cadence
    case steps
    case distanceMeters
    case distanceUncertaintyMeters
    case speedMetersPerSecond
    case speedUncertainty
    case paceSecondsPerKm
    case gradeAdjustedPaceSecondsPerKm
    case elapsedSeconds
    case movingSeconds
    case pausedSeconds
    case autoPaused
    case elevationGainMeters
    case elevationLossMeters
    case gradePercent
    case powerWatts
    case zoneSeconds
    case averageHeartRate
    case maxHeartRate
    case targetZonePercent
    case averageCadence
    case position
    case gps
    case splits
    case trainingLoad
    case caloriesKcal
    case effortKm
    case decouplingPercent
    case finishEstimate
    case course
    case interval
    case measured
    case battery
    case charging
    case alerts

    public var name: String { String(describing: self) }

    /// The scope that a share needs to show this key.
    public var neededScope: Scope {
        switch self {
        // Safety concerns every viewer; the scope decides which alerts are named (`AlertsEncoder`).
        case .state, .startedAt, .elapsedSeconds, .movingSeconds, .pausedSeconds, .autoPaused,
            .alerts:
            []
        case .heartRate, .zoneSeconds, .averageHeartRate, .maxHeartRate, .targetZonePercent:
            .heartRate
        case .cadence, .steps, .distanceMeters, .distanceUncertaintyMeters,
            .speedMetersPerSecond, .speedUncertainty, .paceSecondsPerKm,
            .gradeAdjustedPaceSecondsPerKm, .elevationGainMeters, .elevationLossMeters,
            .gradePercent, .powerWatts, .averageCadence, .gps, .splits, .trainingLoad,
            .caloriesKcal, .effortKm, .finishEstimate, .interval, .measured, .battery, .charging:
            .metrics
        // Heart rate against speed: it needs both scopes.
        case .decouplingPercent: [.metrics, .heartRate]
        case .position, .course: .location
        }
    }

    /// - Returns: The key's value and its decimals; `nil` if it is not a plain number.
    ///   ``MetricsEncoder`` or ``SessionFields`` then writes it.
    func number(of metrics: Metrics) -> (value: Double?, decimals: Int)? {
        switch self {
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
        case .powerWatts: (metrics.powerWatts, Decimals.power)
        case .averageHeartRate: (metrics.averageHeartRate, Decimals.heartRate)
        case .maxHeartRate: (metrics.maxHeartRate, Decimals.heartRate)
        case .targetZonePercent: (metrics.targetZonePercent, Decimals.percent)
        case .averageCadence: (metrics.averageCadence, Decimals.cadence)
        case .caloriesKcal: (metrics.caloriesKcal, Decimals.kilocalories)
        case .effortKm: (metrics.effortKm, Decimals.effortKm)
        case .decouplingPercent: (metrics.decouplingPercent, Decimals.percent)
        case .battery: (metrics.battery, Decimals.battery)
        case .state, .startedAt, .heartRate, .cadence, .steps, .pausedSeconds, .autoPaused,
            .zoneSeconds, .position, .gps, .splits, .trainingLoad, .finishEstimate, .course,
            .interval, .measured, .charging, .alerts:
            nil
        }
    }

    /// The scopes that may see the key, if all of them see the same value.
    var visibility: VisibilityMask { Self.table[Int(rawValue)].visibility }

    /// The bytes `"name":`.
    var prefix: [UInt8] { Self.table[Int(rawValue)].prefix }

    private static let table = allCases.map { key in
        (
            visibility: VisibilityMask.holding(key.neededScope),
            prefix: Array("\"\(key.name)\":".utf8)
        )
    }
}
