import SensorModel
import Synchronization

/// Counts a device's live frames per window of device time, over all its connections and loops.
///
/// Frames measured long before their arrival are a backlog, which may arrive as fast as the ring
/// takes it. The rate of live frames is limited by the sensors. Windows are of device time, so that
/// the end of a backlog is not counted with the live frames after it, and a device whose clock is
/// ahead may send a backlog, too. If two loops begin a window at once, a few frames are not
/// counted, which is harmless.
final class FrameRate: Sendable {
    static let windowSeconds = 10
    private static let windowMicroseconds = Int64(windowSeconds) * 1_000_000

    /// The pace of the holes between the device's frames.
    let holes: HolePace
    /// What the device's closed connections left.
    let left: LeftBytes
    /// Device time divided by the window's length: the window being counted.
    private let window = Atomic<Int64>(0)
    private let count = Atomic(0)

    /// - Parameters:
    ///   - holes: The pace of the holes of all devices.
    ///   - left: The bytes that closed connections of all devices left.
    init(
        holes: HolePace.Shared = HolePace.Shared(), left: LeftBytes.Shared = LeftBytes.Shared()
    ) {
        self.holes = HolePace(among: holes)
        self.left = LeftBytes(among: left)
    }

    /// - Returns: `false` for a frame beyond `perSecondMax` in its window.
    func allows(
        deviceTime: Timestamp, arrival: Timestamp, perSecondMax: Int
    ) -> Bool {
        let age = arrival.microseconds - deviceTime.microseconds
        guard age <= Self.windowMicroseconds else { return true }
        let its = deviceTime.microseconds / Self.windowMicroseconds
        let counted = window.load(ordering: .relaxed)
        if its != counted {
            // Frames slightly out of order: the previous window was already counted.
            guard its != counted - 1 else { return true }
            // A clock that was set back begins a new window, too.
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

/// The frame rates of all devices: one small object per device ever seen, so that a new connection
/// does not restart the count.
final class FrameRates: Sendable {
    private let rates = Mutex<[DeviceID: FrameRate]>([:])
    private let holes = HolePace.Shared()
    private let left = LeftBytes.Shared()

    /// Called once per connection; frames take no lock.
    func rate(of device: DeviceID) -> FrameRate {
        rates.withLock { rates in
            if let known = rates[device] { return known }
            let fresh = FrameRate(holes: holes, left: left)
            rates[device] = fresh
            return fresh
        }
    }
}
