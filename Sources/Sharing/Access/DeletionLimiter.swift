public import SensorModel

/// Limits the deletions of sessions by each device: a deletion rewrites whole segments of the log,
/// which all devices share.
public struct DeletionLimiter: Sendable {
    private var deletions: SlidingWindow<DeviceID>

    /// - Parameter perMinuteMax: Deletions a minute by one device.
    public init(perMinuteMax: Int = 5) {
        deletions = SlidingWindow(countMax: perMinuteMax, windowSeconds: 60, keysMax: 16_384)
    }

    /// Counts the deletion if it is allowed.
    ///
    /// - Returns: Seconds to wait; `nil` if it is allowed.
    public mutating func admit(_ device: DeviceID, at now: Timestamp) -> Int? {
        if let seconds = deletions.secondsUntilFree(device, at: now) { return seconds }
        deletions.record(device, at: now)
        return nil
    }
}
