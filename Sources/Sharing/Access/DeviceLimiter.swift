public import SensorModel

/// Limits what each device may do in a minute, where all devices pay for it.
public struct DeviceLimiter: Sendable {
    /// Moments in memory, of all devices.
    public static let momentsMax = 2 * 16_384

    private var actions: SlidingWindow<DeviceID>

    /// - Parameter perMinuteMax: Actions a minute by one device.
    public init(perMinuteMax: Int) {
        actions = SlidingWindow(
            countMax: perMinuteMax, windowSeconds: 60, keysMax: 16_384,
            momentsMax: Self.momentsMax / 2)
    }

    /// Counts the action if it is allowed.
    ///
    /// - Returns: Seconds to wait; `nil` if it is allowed.
    public mutating func admit(_ device: DeviceID, at now: Timestamp) -> Int? {
        if let seconds = actions.secondsUntilFree(device, at: now) { return seconds }
        actions.record(device, at: now)
        return nil
    }
}
