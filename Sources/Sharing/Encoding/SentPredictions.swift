import SensorModel

/// The newest predictions that viewers were sent, with a deadband: a smaller change is not sent.
///
/// Without it each second changes some prediction, and twenty checkpoints are half of all bytes.
struct SentPredictions: Sendable {
    /// Half the width of the deadband, as a part of the time left. Predictions err by more: the
    /// finish of recorded runs by 3 to 17 % of the whole time.
    static let timeLeftShare = 0.02

    private var course: CourseProgress?
    private var finish: FinishEstimate?

    /// - Parameter newest: The session's newest metrics.
    /// - Returns: The metrics to encode: a prediction within its deadband is the one sent before.
    mutating func replacingSmallChanges(in newest: Metrics) -> Metrics {
        guard newest.course != nil || newest.finishEstimate != nil else {
            (course, finish) = (nil, nil)
            return newest
        }
        let elapsed = newest.elapsedSeconds
        if !Self.areClose(course, newest.course, at: elapsed) { course = newest.course }
        if !Self.areClose(finish, newest.finishEstimate, at: elapsed) {
            finish = newest.finishEstimate
        }
        var metrics = newest
        metrics.course = course
        metrics.finishEstimate = finish
        return metrics
    }

    private static func areClose(
        _ sent: CourseProgress?, _ new: CourseProgress?, at elapsed: Double
    ) -> Bool {
        guard let sent, let new else { return sent == nil && new == nil }
        return sent.checkpoint == new.checkpoint && sent.offCourse == new.offCourse
            && areClose(sent.predictedSeconds, new.predictedSeconds, at: elapsed)
            && sent.later.count == new.later.count
            && zip(sent.later, new.later).allSatisfy { sent, new in
                sent.checkpoint == new.checkpoint
                    && areClose(sent.predictedSeconds, new.predictedSeconds, at: elapsed)
            }
    }

    private static func areClose(
        _ sent: FinishEstimate?, _ new: FinishEstimate?, at elapsed: Double
    ) -> Bool {
        guard let sent, let new else { return sent == nil && new == nil }
        return areClose(sent.bestSeconds, new.bestSeconds, at: elapsed)
            && areClose(sent.expectedSeconds, new.expectedSeconds, at: elapsed)
            && areClose(sent.worstSeconds, new.worstSeconds, at: elapsed)
    }

    /// Once no time is left, as at the finish, only equal times are close.
    private static func areClose(_ sent: Double?, _ new: Double?, at elapsed: Double) -> Bool {
        guard let sent, let new else { return sent == nil && new == nil }
        return abs(sent - new) <= timeLeftShare * max(0, new - elapsed)
    }
}
