public import SensorModel

/// Lets each device delete so many sessions a minute: each deletion rewrites whole segments of the
/// log, which are all devices'.
public struct DeletionLimiter: Sendable {
    private var deletions: SlidingWindow<DeviceID>

    /// - Parameter perMinuteMax: Deletions of a device.
    public init(perMinuteMax: Int = 5) {
        deletions = SlidingWindow(countMax: perMinuteMax, windowSeconds: 60, keysMax: 16_384)
    }

    /// Counts the deletion if it may be made.
    ///
    /// - Returns: How long to wait in seconds; `nil` when it may.
    public mutating func admit(_ device: DeviceID, at now: Timestamp) -> Int? {
        if let seconds = deletions.secondsUntilFree(device, at: now) { return seconds }
        deletions.record(device, at: now)
        return nil
    }
}
