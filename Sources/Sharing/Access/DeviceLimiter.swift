public import SensorModel

/// Limits what each device may do in a while, where all devices pay for it.
public struct DeviceLimiter: Sendable {
    /// Moments in memory, of all devices.
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

    /// - Returns: Seconds until the device's next action is allowed; `nil`: it is now.
    public mutating func secondsUntilFree(_ device: DeviceID, at now: Timestamp) -> Int? {
        actions.secondsUntilFree(device, at: now)
    }
}
