extension PositionClimb {
    struct Parameters: Sendable {
        /// Meters: above the drift of satellite altitude in the open.
        var threshold = 10.0
        /// Seconds; a climb on foot rises by less than 0.5 m a second.
        var timeConstant = 20.0
        /// Threshold and time constant for a quiet altitude.
        var quietThreshold = 2.0
        var quietTimeConstant = 5.0
        /// Noise, meters, below which an altitude is quiet. Whole meters have 0.12, barometers 0.05
        /// to 0.2, satellites 0.45 or more.
        var quietNoiseMax = 0.3
        /// Second differences before the first judgment, and the weight of a new one.
        var judgedFrom = 20
        var noiseGain = 0.03
        /// Longest time between two fixes for a difference, seconds.
        var stepSecondsMax = 4.0
        /// Limit of a square in variances, and its addend, m²: the brow of a hill is not noise.
        var squareMax = 6.0
        var squareAddend = 0.02
    }
}
