import SensorModel
import Synchronization

/// How many live frames a device sent lately, all its connections together, on whatever loops.
///
/// What was measured long before it came is a backlog, which may come as fast as the ring takes it;
/// what is measured now cannot come faster than sensors measure. Where two loops begin a window at
/// once a few frames are not counted, which costs nobody anything.
final class FrameRate: Sendable {
    static let windowSeconds = 10
    private static let windowMicroseconds = Int64(windowSeconds) * 1_000_000

    private let windowStart = Atomic<Int64>(0)
    private let count = Atomic(0)

    /// - Returns: `false` for one frame more than `perSecondMax` allows in the window.
    func allows(
        deviceTime: Timestamp, arrival: Timestamp, perSecondMax: Int
    ) -> Bool {
        let age = arrival.microseconds - deviceTime.microseconds
        guard age <= Self.windowMicroseconds else { return true }
        let start = windowStart.load(ordering: .relaxed)
        let elapsed = arrival.microseconds - start
        // A clock that was set back begins a window, too.
        if elapsed >= Self.windowMicroseconds || elapsed < 0,
            windowStart.compareExchange(
                expected: start, desired: arrival.microseconds, ordering: .relaxed
            ).exchanged
        {
            count.store(0, ordering: .relaxed)
        }
        let (_, now) = count.wrappingAdd(1, ordering: .relaxed)
        return now <= perSecondMax * Self.windowSeconds
    }
}

/// The frame rates of all devices: one small object for each that ever came, so that a new
/// connection does not begin at nothing.
final class FrameRates: Sendable {
    private let rates = Mutex<[DeviceID: FrameRate]>([:])

    /// Asked once a connection; frames take no lock.
    func rate(of device: DeviceID) -> FrameRate {
        rates.withLock { rates in
            if let known = rates[device] { return known }
            let fresh = FrameRate()
            rates[device] = fresh
            return fresh
        }
    }
}
