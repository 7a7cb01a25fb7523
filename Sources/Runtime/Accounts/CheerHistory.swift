package import SensorModel

/// A spectator's message to a runner.
package struct RecentCheer: Encodable, Sendable {
    package let text: String
    /// Arrival time, seconds since 1970.
    package let time: Double

    package init(text: String, time: Double) {
        self.text = text
        self.time = time
    }
}

/// The last cheers of each runner, only in memory: a restart loses them.
package struct CheerHistory: Sendable {
    private static let perDeviceMax = 50

    private var cheers: [DeviceID: [RecentCheer]] = [:]

    package mutating func keep(_ cheer: RecentCheer, for device: DeviceID) {
        cheers[device, default: []].append(cheer)
        let surplus = (cheers[device]?.count ?? 0) - Self.perDeviceMax
        if surplus > 0 { cheers[device]?.removeFirst(surplus) }
    }

    /// Cheers of a device, newest first.
    package func of(_ device: DeviceID) -> [RecentCheer] { (cheers[device] ?? []).reversed() }

    package mutating func forget(_ device: DeviceID) {
        cheers[device] = nil
    }
}
