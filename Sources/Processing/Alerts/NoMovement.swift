import SensorModel

/// Alerts when a runner has not moved for five minutes.
///
/// Only a manual pause suppresses the alert. In the reference auto-pause suppresses it, so it never
/// fires. Positions that stop while heart rate or motion continues count as no movement, because a
/// distance filter sends nothing while the runner stands. A silent device may have lost its network
/// and raises no alert. When it sends again, the silence counts, unless the new sample is movement.
struct NoMovement: Sendable {
    struct Parameters: Sendable {
        /// m/s, exclusive; the reference's value.
        var movingAbove = 0.3
        /// Seconds, inclusive; the reference's value.
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
        // The first position starts the timer.
        if movedAt == nil { movedAt = time }
        if let speed, speed > parameters.movingAbove { moved(at: time) }
    }

    /// Leaves out a manual pause that ended at `time`.
    mutating func paused(until time: Timestamp) {
        if movedAt != nil { moved(at: time) }
    }

    /// - Parameters:
    ///   - time: Not before the time of the last call.
    ///   - manuallyPaused: Whether a manual pause is active; it counts as movement.
    ///   - isHeard: Whether the device has sent a sample recently.
    /// - Returns: Whether the five minutes end at this tick.
    mutating func tick(at time: Timestamp, manuallyPaused: Bool, isHeard: Bool = true) -> Bool {
        guard !manuallyPaused else {
            paused(until: time)
            return false
        }
        guard let movedAt else { return false }
        guard isHeard, !isStanding, time.seconds(since: movedAt) >= parameters.seconds else {
            return false
        }
        isStanding = true
        return true
    }
}
