import SensorModel

/// How many live frames a device sent on this loop lately, all its connections together.
///
/// What was measured long before it came is a backlog, which may come as fast as the ring takes it;
/// what is measured now cannot come faster than sensors measure.
final class FrameRate {
    static let windowSeconds = 10
    private static let windowMicroseconds = Int64(windowSeconds) * 1_000_000

    private var windowStart = Timestamp(microseconds: 0)
    private var count = 0

    /// - Returns: `false` for one frame more than `perSecondMax` allows in the window.
    func allows(
        deviceTime: Timestamp, arrival: Timestamp, perSecondMax: Int
    ) -> Bool {
        let age = arrival.microseconds - deviceTime.microseconds
        guard age <= Self.windowMicroseconds else { return true }
        let elapsed = arrival.microseconds - windowStart.microseconds
        // A clock that was set back begins a window, too.
        if elapsed >= Self.windowMicroseconds || elapsed < 0 {
            windowStart = arrival
            count = 0
        }
        count += 1
        return count <= perSecondMax * Self.windowSeconds
    }
}
