import SensorModel

/// Detects an optical sensor that probably counts steps instead of beats.
///
/// Both numbers are equal by chance at times, but not within a beat or two for long.
struct CadenceLock: Sendable {
    struct Parameters: Sendable {
        /// Largest difference of beats/min and steps/min at which they count as equal.
        var nearness = 2.5
        /// Seconds of equality, with few exceptions, that raise the suspicion.
        var seconds = 60.0
        /// Weight of an unequal second: one in five is tolerated.
        var penalty = 4.0
        /// Minimum cadence, steps/min. Below it nobody runs, and the artifact is rare.
        var cadenceMin = 120.0
    }

    let parameters = Parameters()
    private var equalSeconds = 0.0

    var isSuspected: Bool { equalSeconds >= parameters.seconds }

    /// Adds a second. The caller calls it once a second.
    mutating func tick(beatsPerMinute: Double?, stepsPerMinute: Double?) {
        guard let beatsPerMinute, let stepsPerMinute, stepsPerMinute >= parameters.cadenceMin else {
            equalSeconds = max(0, equalSeconds - 1)
            return
        }
        if abs(beatsPerMinute - stepsPerMinute) <= parameters.nearness {
            equalSeconds = min(equalSeconds + 1, 1.5 * parameters.seconds)
        } else {
            equalSeconds = max(0, equalSeconds - parameters.penalty)
        }
    }
}
