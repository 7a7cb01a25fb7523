extension DopplerFactor {
    struct Parameters: Sendable {
        /// Initial factor, and the deviation of receivers from it. Their filters report Doppler
        /// speed a few percent low.
        var prior = 1.035
        var spread = 0.03
        /// Deviation of one axis for each unit of reported accuracy, which is a radius that holds
        /// two thirds of the fixes.
        var axisShare = 0.7
        /// Memory of the receiver's error, seconds: reflections change within a minute.
        var memorySeconds = 60.0
        /// Additional scatter of a single fix, m².
        var fixVariance = 0.25
        /// Loss of dead reckoning, m² a second. Noise of speed and course adds 0.4 m in one second;
        /// turns that a receiver's filter follows late add 3 m in a minute.
        var reckoningVariance = 0.15
        /// Additional loss as a share of the path while Doppler is unreliable.
        var doubtfulShare = 0.1
        /// Loss without a reckoned path, m² a second: a waiting person makes a step or two.
        var waitingVariance = 0.2
        /// Deviation of the ratio of a stretch's path to its Doppler distance.
        var ratioDeviation = 0.06
        /// Weight of a new surprise in the running level: some minutes of stretches.
        var unrestGain = 0.05
        /// Deviations above which a surprise is a jump of the receiver, which must not change the
        /// factor.
        var surpriseMax = 3.0
    }
}
