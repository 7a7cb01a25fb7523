public enum GPSQuality: UInt8, CaseIterable, Sendable {
    case none = 0
    case weak = 1
    case fair = 2
    case good = 3
    case veryGood = 4

    public var name: String {
        switch self {
        case .none: "none"
        case .weak: "weak"
        case .fair: "fair"
        case .good: "good"
        case .veryGood: "veryGood"
        }
    }
}
