import SensorModel

/// Schedules rounds of acks: the more acks a round had, the longer the interval to the next.
///
/// Writing an ack to a socket costs as much as ingesting a frame, and one ack for three frames does
/// the work of three. A lone device that waits for each ack waits 2 ms, less than the log's sync
/// takes.
struct AckPace {
    /// Interval to the next round, per ack of the last round.
    private static let microsecondsEach: Int64 = 2000
    /// A fifth of the allowed delay of an ack under load.
    private static let microsecondsMax: Int64 = 50_000

    private var dueAt: Timestamp?

    /// - Returns: Time of the next round; `now` or earlier: at once.
    func nextRound(after now: Timestamp) -> Timestamp {
        guard let dueAt else { return now }
        // A clock that was set back must not delay acks.
        return dueAt.microseconds - now.microseconds > Self.microsecondsMax ? now : dueAt
    }

    mutating func sent(_ acks: Int, at now: Timestamp) {
        let gap = min(Int64(acks) * Self.microsecondsEach, Self.microsecondsMax)
        dueAt = now.advanced(byMicroseconds: gap)
    }
}
