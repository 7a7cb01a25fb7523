import SensorModel

/// What spectators called to a runner.
struct KeptCheer: Encodable, Sendable {
    let text: String
    /// Arrival time, seconds since 1970.
    let time: Double
}

/// The last cheers of each runner, in memory: words for the moment, gone with the daemon.
struct KeptCheers: Sendable {
    private static let perDeviceMax = 50

    private var cheers: [DeviceID: [KeptCheer]] = [:]

    mutating func keep(_ cheer: KeptCheer, for device: DeviceID) {
        cheers[device, default: []].append(cheer)
        let surplus = (cheers[device]?.count ?? 0) - Self.perDeviceMax
        if surplus > 0 { cheers[device]?.removeFirst(surplus) }
    }

    /// Newest first.
    func of(_ device: DeviceID) -> [KeptCheer] { (cheers[device] ?? []).reversed() }

    mutating func forget(_ device: DeviceID) {
        cheers[device] = nil
    }
}
