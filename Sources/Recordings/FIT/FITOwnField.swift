/// Values that FIT's fields lack or store too coarsely, written as developer fields of `record`.
enum FITOwnField: UInt8, CaseIterable, Sendable {
    case heartRate = 0
    case horizontalAccuracy = 1
    case steps = 2
    case paused = 3

    var name: String {
        switch self {
        case .heartRate: "exact_heart_rate"
        case .horizontalAccuracy: "horizontal_accuracy"
        case .steps: "steps"
        case .paused: "paused"
        }
    }

    var units: String {
        switch self {
        case .heartRate: "bpm"
        case .horizontalAccuracy: "m"
        case .steps: "steps"
        case .paused: ""
        }
    }

    var type: FITBaseType {
        switch self {
        case .heartRate, .horizontalAccuracy: .float32
        case .steps: .uint32
        case .paused: .uint8
        }
    }
}
