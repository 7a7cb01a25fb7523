import SensorModel

/// Raises when a runner has not moved for five minutes.
///
/// Only a manual pause silences it: the reference let its own auto-pause do so, and never fired.
struct NoMovement: Sendable {
    struct Parameters: Sendable {
        /// m/s, exclusive; the reference's.
        var movingAbove = 0.3
        /// Seconds, inclusive; the reference's.
        var seconds = 300.0
    }

    let parameters = Parameters()
    private var movedAt: Timestamp?
    private(set) var isStanding = false

    mutating func moved(at time: Timestamp) {
        movedAt = max(movedAt ?? time, time)
        isStanding = false
    }

    mutating func note(speed: Double?, at time: Timestamp) {
        // The first sign of position starts the clock, whatever it says.
        if movedAt == nil { movedAt = time }
        if let speed, speed > parameters.movingAbove { moved(at: time) }
    }

    /// - Returns: Whether the five minutes are over just now.
    mutating func tick(at time: Timestamp, manuallyPaused: Bool) -> Bool {
        guard let movedAt else { return false }
        guard !manuallyPaused else {
            moved(at: time)
            return false
        }
        guard !isStanding, time.seconds(since: movedAt) >= parameters.seconds else { return false }
        isStanding = true
        return true
    }
}
