/// How far a shown value can be trusted, by the age of what it was made from.
public enum ValueState: UInt8, CaseIterable, Sendable {
    /// Nothing has come yet.
    case waiting = 0
    case live = 1
    /// Older than its source's own rhythm explains.
    case stale = 2
    case paused = 3
    case ended = 4

    /// As viewers read it.
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
