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
    /// - Returns: Which predictions viewers keep as they were sent, because they are within the
    ///   deadband.
    mutating func take(_ newest: Metrics) -> (keepsCourse: Bool, keepsFinish: Bool) {
        let elapsed = newest.elapsedSeconds
        let keepsCourse = Self.areClose(course, newest.course, at: elapsed)
        if !keepsCourse { course = newest.course }
        let keepsFinish = Self.areClose(finish, newest.finishEstimate, at: elapsed)
        if !keepsFinish { finish = newest.finishEstimate }
        return (keepsCourse, keepsFinish)
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
