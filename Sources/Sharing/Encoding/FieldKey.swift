public import SensorModel

/// The top-level keys of snapshots and updates, in the order in which they are written.
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
    case battery
    case charging
    case alerts

    public var name: String { String(describing: self) }

    /// The parts a share must show before it may show this key.
    public var neededScope: Scope {
        switch self {
        // Safety concerns whoever watches; which alerts are named is the scope's (`AlertsEncoder`).
        case .state, .startedAt, .elapsedSeconds, .movingSeconds, .pausedSeconds, .autoPaused,
            .alerts:
            []
        case .heartRate, .zoneSeconds, .averageHeartRate, .maxHeartRate, .targetZonePercent:
            .heartRate
        case .cadence, .steps, .distanceMeters, .distanceUncertaintyMeters,
            .speedMetersPerSecond, .speedUncertainty, .paceSecondsPerKm,
            .gradeAdjustedPaceSecondsPerKm, .elevationGainMeters, .elevationLossMeters,
            .gradePercent, .averageCadence, .gps, .splits, .trainingLoad, .caloriesKcal,
            .effortKm, .finishEstimate, .interval, .battery, .charging:
            .metrics
        // Heart rate against speed: either half alone does not entitle to it.
        case .decouplingPercent: [.metrics, .heartRate]
        case .position, .course: .location
        }
    }

    /// Who may see the key, where all who may see it read the same.
    var visibility: VisibilityMask { Self.table[Int(rawValue)].visibility }

    /// `"name":`
    var prefix: [UInt8] { Self.table[Int(rawValue)].prefix }

    private static let table = allCases.map { key in
        (
            visibility: VisibilityMask.holding(key.neededScope),
            prefix: Array("\"\(key.name)\":".utf8)
        )
    }
}
