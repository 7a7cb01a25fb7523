import NIOCore

/// Limits the rate of a viewer's messages: a burst, then so many a second. Further messages wait in
/// the socket, where they cost the daemon nothing.
struct MessagePace {
    /// Messages a second; a finger on a slider makes 60.
    static let perSecond = 100
    /// Messages accepted at once after a second of silence.
    static let burst = 100
    /// Pause of a waiting viewer; several messages are taken after it.
    static let wait = TimeAmount.milliseconds(100)

    private static let nanosecondsEach: UInt64 = 1_000_000_000 / UInt64(perSecond)

    /// Time of the next message if they were evenly spaced.
    private var due: UInt64 = 0

    /// - Parameter now: Nanoseconds of a monotonic clock.
    /// - Returns: Whether a message may be taken now; it counts as taken.
    mutating func takes(atNanoseconds now: UInt64) -> Bool {
        let next = max(due, now) + Self.nanosecondsEach
        guard next <= now + Self.nanosecondsEach * UInt64(Self.burst) else { return false }
        due = next
        return true
    }
}
