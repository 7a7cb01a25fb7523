import SensorModel

/// Tells a runner who is off the target pace.
struct PaceAlert: Sendable {
    struct Parameters: Sendable {
        /// Meters before the first; the reference's.
        var metersMin = 500.0
        /// Seconds between two; the reference's.
        var cooldownSeconds = 60.0
        /// Percent of the target; the reference's. Between on pace and minor nothing is said.
        var onPacePercent = 5.0
        var minorPercent = 10.0
        var majorPercent = 20.0
    }

    let parameters = Parameters()
    private var spokeAt: Timestamp?
    private(set) var isActive = false

    /// - Parameters:
    ///   - pace: Now, smoothed, s/km.
    ///   - target: s/km.
    ///   - meters: Of the session.
    ///   - time: Now.
    /// - Returns: What to tell; `nil`: nothing new.
    mutating func update(
        pace: Double?, target: Double?, meters: Double, at time: Timestamp
    ) -> Alert? {
        guard let target, target > 0 else { return clear() }
        guard let pace, meters >= parameters.metersMin else { return nil }
        if let spokeAt, time.seconds(since: spokeAt) < parameters.cooldownSeconds { return nil }
        let deviation = (pace - target) / target * 100
        if abs(deviation) <= parameters.onPacePercent {
            guard isActive else { return nil }
            isActive = false
            spokeAt = time
            return Alert(
                kind: .pace, severity: .information, phase: .cleared, advice: "back on pace")
        }
        guard abs(deviation) >= parameters.minorPercent else { return nil }
        isActive = true
        spokeAt = time
        return Alert(
            kind: .pace,
            severity: abs(deviation) >= parameters.majorPercent ? .significant : .mild,
            phase: .triggered, advice: deviation > 0 ? "pick up pace" : "slow down")
    }

    /// The target was taken away.
    private mutating func clear() -> Alert? {
        guard isActive else { return nil }
        isActive = false
        return Alert(kind: .pace, severity: .information, phase: .cleared)
    }
}
