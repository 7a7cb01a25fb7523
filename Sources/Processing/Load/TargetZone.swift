/// Share of the time with heart rate that was spent in the target zone.
struct TargetZone: Sendable {
    private var inside = 0.0
    private var total = 0.0

    mutating func add(zone: Int, target: Int?, seconds: Double) {
        guard let target else { return }
        total += seconds
        if zone == target { inside += seconds }
    }

    var percent: Double? { total > 0 ? 100 * inside / total : nil }
}

/// How well a session kept to its target zone: the reference's words.
public enum TargetZoneCompliance: String, Hashable, Sendable {
    case excellent, good, fair, poor

    /// - Parameter percent: Of the time with heart rate, in the zone.
    public init(percent: Double) {
        self =
            switch percent {
            case 90...: .excellent
            case 70...: .good
            case 50...: .fair
            default: .poor
            }
    }
}
