public struct DeviceStatus: Hashable, Sendable {
    /// 0…100; `nil`: not reported.
    public var batteryPercent: UInt8?
    public var charging: Bool

    public init(batteryPercent: UInt8?, charging: Bool) {
        self.batteryPercent = batteryPercent
        self.charging = charging
    }
}
