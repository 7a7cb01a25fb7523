import SensorModel

/// Suspects an optical sensor that counts steps instead of beats.
///
/// Both numbers are equal by chance at times, but not for long to within a beat or two.
struct CadenceLock: Sendable {
    struct Parameters: Sendable {
        /// Difference of beats/min and steps/min below which they are equal.
        var nearness = 2.5
        /// Seconds of equality, with few exceptions, that raise the suspicion.
        var seconds = 60.0
        /// Weight of an unequal second: one in five is ignored.
        var penalty = 4.0
        /// Minimum cadence, steps/min: below it nobody runs, and the artefact is rare.
        var cadenceMin = 120.0
    }

    let parameters = Parameters()
    private var equalSeconds = 0.0

    var isSuspected: Bool { equalSeconds >= parameters.seconds }

    /// Adds a second; call it once a second.
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
