import SensorModel

/// Suspects an optical sensor that counts steps instead of beats.
///
/// Both numbers are alike by chance now and then, but not for long to within a beat or two.
struct CadenceLock: Sendable {
    struct Parameters: Sendable {
        /// Beats/min and steps/min nearer than this are equal.
        var nearness = 2.5
        /// Seconds of equality, with few exceptions, that are suspicious.
        var seconds = 60.0
        /// Unequal seconds count this many times: one in five is forgiven.
        var penalty = 4.0
        /// Below this cadence nobody runs, steps/min, and the artefact is rare.
        var cadenceMin = 120.0
    }

    let parameters = Parameters()
    private var equalSeconds = 0.0

    var isSuspected: Bool { equalSeconds >= parameters.seconds }

    /// Once a second.
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
