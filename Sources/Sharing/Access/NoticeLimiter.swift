public import SensorModel

/// Limits the lines that a device causes in the journal: a journal that is full of one device's
/// alerts drops those of others.
public struct NoticeLimiter: Sendable {
    public enum Verdict: Hashable, Sendable {
        case write
        /// Write that some are left out. This is said once a minute.
        case writeThatMoreAreLeftOut
        case leaveOut
    }

    private var written: SlidingWindow<DeviceID>
    private var leftOut: SlidingWindow<DeviceID>

    /// - Parameter perDeviceMax: Lines of a device a minute.
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
