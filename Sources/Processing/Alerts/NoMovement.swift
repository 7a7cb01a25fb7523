import SensorModel

/// Raises when a runner has not moved for five minutes.
///
/// Only a manual pause silences it: the reference let its own auto-pause do so, and never fired.
/// Positions that stop coming while heart rate or motion goes on are no movement: a distance filter
/// sends nothing of a runner who stands. A device that is wholly silent may have lost its network
/// and raises nothing; its silence counts once it is heard again, unless what it says is movement.
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

    /// A pause by hand lasted so long: none of it counts.
    mutating func paused(until time: Timestamp) {
        if movedAt != nil { moved(at: time) }
    }

    /// - Parameters:
    ///   - time: Not before the last one.
    ///   - manuallyPaused: Counts as movement.
    ///   - isHeard: Whether the device has sent anything of late.
    /// - Returns: Whether the five minutes are over just now.
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
