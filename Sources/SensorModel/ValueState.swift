/// The freshness of a shown value, by the age of its inputs.
public enum ValueState: UInt8, CaseIterable, Sendable {
    /// No input yet.
    case waiting = 0
    case live = 1
    /// Older than the rhythm of its source explains.
    case stale = 2
    case paused = 3
    case ended = 4

    /// Name for viewers.
    public var name: String {
        switch self {
        case .waiting: "waiting"
        case .live: "live"
        case .stale: "stale"
        case .paused: "paused"
        case .ended: "ended"
        }
    }
}
