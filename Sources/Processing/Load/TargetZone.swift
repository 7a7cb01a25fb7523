/// Time in the target zone as a share of the time with heart rate.
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

/// A rating of the time that a session spent in its target zone, in the reference's terms.
public enum TargetZoneCompliance: String, Hashable, Sendable {
    case excellent, good, fair, poor

    /// - Parameter percent: Time in the zone, as a percentage of the time with heart rate.
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
