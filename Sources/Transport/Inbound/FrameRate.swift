import SensorModel
import Synchronization

/// How many live frames a device sent for each stretch of its own time, all its connections
/// together, on whatever loops.
///
/// What was measured long before it came is a backlog, which may come as fast as the ring takes it;
/// what is measured now cannot be more than sensors measure. Stretches are of device time, so that
/// the last seconds of a backlog do not count as what comes after it, and a device whose clock is
/// ahead may have a backlog, too. Where two loops begin a stretch at once a few frames are not
/// counted, which costs nobody anything.
final class FrameRate: Sendable {
    static let windowSeconds = 10
    private static let windowMicroseconds = Int64(windowSeconds) * 1_000_000

    /// Device time over the window's length: the stretch that is counted.
    private let window = Atomic<Int64>(0)
    private let count = Atomic(0)

    /// - Returns: `false` for one frame more than `perSecondMax` allows in its stretch.
    func allows(
        deviceTime: Timestamp, arrival: Timestamp, perSecondMax: Int
    ) -> Bool {
        let age = arrival.microseconds - deviceTime.microseconds
        guard age <= Self.windowMicroseconds else { return true }
        let its = deviceTime.microseconds / Self.windowMicroseconds
        let counted = window.load(ordering: .relaxed)
        if its != counted {
            // A little out of order: the stretch before has been counted.
            guard its != counted - 1 else { return true }
            // A clock that was set back begins a stretch, too.
            if window.compareExchange(
                expected: counted, desired: its, ordering: .relaxed
            ).exchanged {
                count.store(0, ordering: .relaxed)
            }
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
