import NIOCore

/// A rate limit on a peer's messages: a burst, then a steady rate.
///
/// Further messages wait in the socket, where they cost the daemon nothing.
struct MessagePace {
    /// The pace of a viewer: a finger on a slider makes 60 messages a second.
    static let viewer = MessagePace(perSecond: 100, burst: 100)
    /// The pace of a reader of another protocol: it joins a topic and sends a heartbeat each half
    /// minute.
    static let reader = MessagePace(perSecond: 10, burst: 50)
    /// The pace of a device whose messages are pushes.
    static let device = MessagePace(perSecond: 100, burst: 100)
    /// The pace of any peer's pings and pongs: a ping of six bytes requires an answer, and programs
    /// send one in several seconds.
    static let controls = MessagePace(perSecond: 10, burst: 64)

    /// The pace of refusals sent to a viewer.
    static let refusals = MessagePace(perSecond: 1, burst: 16)

    /// Pause of a waiting peer; several messages are taken after it.
    static let wait = TimeAmount.milliseconds(100)

    let burst: Int
    private let nanosecondsEach: UInt64
    /// Time of the next message if they were evenly spaced.
    private var due: UInt64 = 0

    /// - Parameters:
    ///   - perSecond: Messages a second.
    ///   - burst: Messages accepted at once after silence.
    init(perSecond: Int, burst: Int) {
        nanosecondsEach = 1_000_000_000 / UInt64(perSecond)
        self.burst = burst
    }

    /// - Parameter now: Nanoseconds of a monotonic clock.
    /// - Returns: Whether a message may be taken now; it counts as taken.
    mutating func admit(atNanoseconds now: UInt64) -> Bool {
        let next = max(due, now) + nanosecondsEach
        guard next <= now + nanosecondsEach * UInt64(burst) else { return false }
        due = next
        return true
    }
}
