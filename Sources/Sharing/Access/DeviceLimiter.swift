public import SensorModel

/// Limits how often each device may perform an action whose cost all devices share.
public struct DeviceLimiter: Sendable {
    /// Maximum number of action times in memory, for all devices together.
    public static let momentsMax = 2 * 16_384

    private var actions: SlidingWindow<DeviceID>

    /// - Parameters:
    ///   - countMax: Actions of one device in a window.
    ///   - windowSeconds: Time until an action no longer counts.
    public init(countMax: Int, windowSeconds: Int) {
        actions = SlidingWindow(
            countMax: countMax, windowSeconds: windowSeconds, keysMax: 16_384,
            momentsMax: Self.momentsMax / 2)
    }

    /// Counts the action if it is allowed.
    ///
    /// - Returns: Seconds to wait; `nil` if it is allowed.
    public mutating func admit(_ device: DeviceID, at now: Timestamp) -> Int? {
        if let seconds = secondsUntilFree(device, at: now) { return seconds }
        actions.record(device, at: now)
        return nil
    }

    /// - Returns: Seconds until the device's next action is allowed; `nil` if it is allowed now.
    public mutating func secondsUntilFree(_ device: DeviceID, at now: Timestamp) -> Int? {
        actions.secondsUntilFree(device, at: now)
    }
}
