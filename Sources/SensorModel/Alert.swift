public enum AlertKind: UInt8, CaseIterable, Sendable {
    case zoneDrift = 1
    case pace = 2
    case fall = 3
    case noMovement = 4
    case safetyTimer = 5
    case sos = 6
    case offCourse = 7

    public var name: String {
        switch self {
        case .zoneDrift: "zoneDrift"
        case .pace: "pace"
        case .fall: "fall"
        case .noMovement: "noMovement"
        case .safetyTimer: "safetyTimer"
        case .sos: "sos"
        case .offCourse: "offCourse"
        }
    }

    /// Whether it asks for help at once, so that viewers see it even while the runner is hidden.
    /// Alerts a fixed time after the runner stopped or started do not count: they would reveal when
    /// the runner came home.
    public var isCallForHelp: Bool { self == .sos || self == .fall }

    /// Whether it depends on everything since the start of the session.
    public var countsFromStart: Bool { self == .pace || self == .zoneDrift }
}

public struct Alert: Hashable, Sendable {
    public enum Severity: UInt8, CaseIterable, Sendable {
        case information = 0
        case mild = 1
        case moderate = 2
        case significant = 3
        case emergency = 4

        public var name: String {
            switch self {
            case .information: "information"
            case .mild: "mild"
            case .moderate: "moderate"
            case .significant: "significant"
            case .emergency: "emergency"
            }
        }
    }

    public enum Phase: UInt8, CaseIterable, Sendable {
        /// Raised; the wearer can cancel it until `cancelBefore`.
        case triggered = 0
        case cancelled = 1
        /// The cancel window has passed.
        case confirmed = 2
        /// The cause is over.
        case cleared = 3

        public var name: String {
            switch self {
            case .triggered: "triggered"
            case .cancelled: "cancelled"
            case .confirmed: "confirmed"
            case .cleared: "cleared"
            }
        }
    }

    public var kind: AlertKind
    public var severity: Severity
    public var phase: Phase
    /// Device time; `nil` if the alert cannot be cancelled.
    public var cancelBefore: Timestamp?
    /// Advice for the runner, such as "slow down"; `nil` if the kind says enough.
    public var advice: String?

    public init(
        kind: AlertKind, severity: Severity, phase: Phase, cancelBefore: Timestamp? = nil,
        advice: String? = nil
    ) {
        self.kind = kind
        self.severity = severity
        self.phase = phase
        self.cancelBefore = cancelBefore
        self.advice = advice
    }
}
