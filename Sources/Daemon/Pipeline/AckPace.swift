import SensorModel

/// When acks go out: the more of them a round had, the longer the next one gathers.
///
/// An ack costs a write to a socket, as much as taking the frame did, and one for three frames says
/// what three would have said. A lone device that waits for each waits 2 ms, less than for the log's
/// sync.
struct AckPace {
    /// Until the next round, for each ack of the last.
    private static let microsecondsEach: Int64 = 2000
    /// A fifth of what an ack may be late under load.
    private static let microsecondsMax: Int64 = 50_000

    private var dueAt: Timestamp?

    /// - Returns: When acks may go out again; `now` or earlier: at once.
    func nextRound(after now: Timestamp) -> Timestamp {
        guard let dueAt else { return now }
        // A clock that was set back puts nothing off.
        return dueAt.microseconds - now.microseconds > Self.microsecondsMax ? now : dueAt
    }

    mutating func sent(_ acks: Int, at now: Timestamp) {
        let gap = min(Int64(acks) * Self.microsecondsEach, Self.microsecondsMax)
        dueAt = now.advanced(byMicroseconds: gap)
    }
}
