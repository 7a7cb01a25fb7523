import NIOCore

/// How fast a viewer's messages are taken: some at once, then so many a second. What comes faster
/// waits in its socket, where it costs the daemon nothing.
struct MessagePace {
    /// A finger on a slider makes 60.
    static let perSecond = 100
    /// Taken at once of one that was silent for a second.
    static let burst = 100
    /// Several at a time are taken of one that waits.
    static let wait = TimeAmount.milliseconds(100)

    private static let nanosecondsEach: UInt64 = 1_000_000_000 / UInt64(perSecond)

    /// When the next is due, were they spaced evenly.
    private var due: UInt64 = 0

    /// - Parameter now: Nanoseconds of a clock that never goes back.
    /// - Returns: Whether a message may be taken now; it counts as taken.
    mutating func takes(atNanoseconds now: UInt64) -> Bool {
        let next = max(due, now) + Self.nanosecondsEach
        guard next <= now + Self.nanosecondsEach * UInt64(Self.burst) else { return false }
        due = next
        return true
    }
}
