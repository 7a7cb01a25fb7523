import SensorModel

/// Alerts a runner who has been outside the target zone for long.
///
/// The time off target decides. A change between two wrong zones does not restart it, as it does in
/// the reference. Each severity alerts once. A dismissal suppresses the alert for a while.
struct ZoneDrift: Sendable {
    struct Parameters: Sendable {
        /// Seconds off target; the reference's value.
        var mild = 60.0
        var moderate = 180.0
        var significant = 300.0
        /// Seconds without alerts after a dismissal; the reference's value.
        var silenceSeconds = 30.0
    }

    let parameters = Parameters()
    private var offSeconds = 0.0
    private var active: Alert.Severity?
    private var silentUntil: Timestamp?

    var isActive: Bool { active != nil }

    func severity(offSeconds: Double) -> Alert.Severity? {
        switch offSeconds {
        case parameters.significant...: .significant
        case parameters.moderate...: .moderate
        case parameters.mild...: .mild
        default: nil
        }
    }

    /// - Parameters:
    ///   - zone: Current zone; `nil` without a live heart rate, which neither adds nor clears.
    ///   - target: Target zone; `nil` if there is none.
    ///   - seconds: Seconds since the last call.
    ///   - time: Current time.
    /// - Returns: The alert; `nil` if nothing changed.
    mutating func tick(zone: Int?, target: Int?, seconds: Double, at time: Timestamp) -> Alert? {
        guard let target else {
            offSeconds = 0
            return clear()
        }
        guard let zone else { return nil }
        guard zone != target else {
            offSeconds = 0
            return clear()
        }
        offSeconds += seconds
        guard let severity = severity(offSeconds: offSeconds), severity != active else {
            return nil
        }
        if let silentUntil, time < silentUntil { return nil }
        active = severity
        return Alert(
            kind: .zoneDrift, severity: severity, phase: .triggered,
            advice: zone > target ? "slow down" : "pick up pace")
    }

    mutating func dismiss(at time: Timestamp) -> Alert? {
        guard active != nil else { return nil }
        silentUntil = time.advanced(bySeconds: parameters.silenceSeconds)
        active = nil
        return Alert(kind: .zoneDrift, severity: .information, phase: .cancelled)
    }

    private mutating func clear() -> Alert? {
        guard active != nil else { return nil }
        active = nil
        return Alert(kind: .zoneDrift, severity: .information, phase: .cleared)
    }
}
