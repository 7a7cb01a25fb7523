import SensorModel

/// Kind of an alert that receivers are told of.
enum AlertTopic: String, CaseIterable, Sendable {
    case sos, fall, noMovement, safetyTimer, offCourse
    /// A checkpoint was not reached when expected.
    case overdue
    /// Nothing came from the device, although it was recording.
    case silent

    /// `nil` for the kinds that are for the runner only.
    init?(_ kind: AlertKind) {
        switch kind {
        case .sos: self = .sos
        case .fall: self = .fall
        case .noMovement: self = .noMovement
        case .safetyTimer: self = .safetyTimer
        case .offCourse: self = .offCourse
        case .zoneDrift, .pace: return nil
        }
    }

    /// Whether all receivers are told, even while the runner is hidden. The others come a fixed time
    /// after the runner stopped, left or fell silent: they would tell when the runner came home.
    var isCallForHelp: Bool { self == .sos || self == .fall }

    /// Whether it tells of the course, which only shares with positions show.
    var isOfCourse: Bool { self == .offCourse || self == .overdue }
}
