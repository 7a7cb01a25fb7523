public import SensorModel

/// Limits the journal lines that one device causes, so that its alerts do not displace those of
/// other devices.
public struct NoticeLimiter: Sendable {
    public enum Verdict: Hashable, Sendable {
        case write
        /// Write that further lines are left out; returned at most once a minute.
        case writeThatMoreAreLeftOut
        case leaveOut
    }

    private var written: SlidingWindow<DeviceID>
    private var leftOut: SlidingWindow<DeviceID>

    /// - Parameter perDeviceMax: Lines a minute for one device.
    public init(perDeviceMax: Int = 60) {
        written = SlidingWindow(countMax: perDeviceMax, windowSeconds: 60, keysMax: 16_384)
        leftOut = SlidingWindow(countMax: 1, windowSeconds: 60, keysMax: 16_384)
    }

    /// Counts a line of the device.
    public mutating func admit(_ device: DeviceID, at now: Timestamp) -> Verdict {
        if written.secondsUntilFree(device, at: now) == nil {
            written.record(device, at: now)
            return .write
        }
        guard leftOut.secondsUntilFree(device, at: now) == nil else { return .leaveOut }
        leftOut.record(device, at: now)
        return .writeThatMoreAreLeftOut
    }
}
