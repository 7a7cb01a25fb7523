import SensorModel

extension RunWatch {
    /// When a runner should be at a checkpoint.
    struct Expectation: Hashable, Sendable {
        let checkpoint: String
        /// By the daemon's clock.
        let at: Timestamp
        let marginSeconds: Double

        var overdueAt: Timestamp { at.advanced(bySeconds: marginSeconds) }
    }

    /// Least margin of an expectation, and its share of the time until then.
    private static let marginSecondsMin = 300.0
    private static let marginShare = 0.25
    /// Meters after which a mean speed says something.
    private static let metersMin = 500.0

    /// The expectation is made once, when the checkpoint becomes the next: later predictions of a
    /// runner who stands still are ever later.
    static func expectation(
        _ observation: Observation, at now: Timestamp
    ) -> Expectation? {
        guard let checkpoint = observation.checkpoint,
            let predicted = observation.predictedSeconds,
            observation.distanceMeters ?? 0 >= metersMin
        else { return nil }
        let left = max(0, predicted - observation.elapsedSeconds)
        return Expectation(
            checkpoint: checkpoint, at: now.advanced(bySeconds: left),
            marginSeconds: max(marginSecondsMin, left * marginShare))
    }
}
