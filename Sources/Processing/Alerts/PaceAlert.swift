import SensorModel

/// Alerts a runner who is off the target pace.
struct PaceAlert: Sendable {
    struct Parameters: Sendable {
        /// Meters before the first alert; the reference's value.
        var metersMin = 500.0
        /// Seconds between two alerts; the reference's value.
        var cooldownSeconds = 60.0
        /// Percent of the target; the reference's value. A deviation between `onPacePercent` and
        /// `minorPercent` raises no alert.
        var onPacePercent = 5.0
        var minorPercent = 10.0
        var majorPercent = 20.0
    }

    let parameters = Parameters()
    private var spokeAt: Timestamp?
    private(set) var isActive = false

    /// - Parameters:
    ///   - pace: Current pace, smoothed, s/km.
    ///   - target: Target pace, s/km.
    ///   - meters: Distance of the session.
    ///   - time: Current time.
    /// - Returns: The alert; `nil` if nothing changed.
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

    /// Ends the alert after the target was removed.
    private mutating func clear() -> Alert? {
        guard isActive else { return nil }
        isActive = false
        return Alert(kind: .pace, severity: .information, phase: .cleared)
    }
}
