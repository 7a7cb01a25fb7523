public import SensorModel

/// Limits what each device uses up over days: some at once after a silence, then as evenly as no watch
/// sends.
///
/// Source: the generic cell rate algorithm (ITU-T I.371).
public struct DevicePace: Sendable {
    /// What may be used at once, and regained each second.
    private let (burst, perSecond): (Double, Double)
    /// Time at which each device has regained everything. Arrival clock.
    private var due: [DeviceID: Timestamp] = [:]
    /// With more devices, those that have regained everything are forgotten. Twice as many as were
    /// left the last time, so that a use costs the same however many devices there are.
    private var lookThroughAt = Self.devicesKept
    private static let devicesKept = 1024

    public init(burst: Double, perSecond: Double) {
        (self.burst, self.perSecond) = (burst, perSecond)
    }

    /// Sessions: more at once than the runs of ten years that are brought in together, then one in 10 s.
    public static let sessions = DevicePace(burst: 20_000, perSecond: 0.1)

    /// Sessions where ``SessionQuota`` is full: one a day, so that others who have filled it do not lock
    /// a runner out.
    public static let daily = DevicePace(burst: 1, perSecond: 1 / 86_400)

    /// Bytes of the log: of four days at once, as where the runs of ten years are brought in together.
    public static func log(mebibytesPerDay: Int) -> DevicePace {
        let bytesPerDay = Double(mebibytesPerDay << 20)
        return DevicePace(burst: 4 * bytesPerDay, perSecond: bytesPerDay / 86_400)
    }

    /// Number of devices in memory.
    var count: Int { due.count }

    /// - Returns: Whether the device may use that much.
    public func hasRoom(_ device: DeviceID, for amount: Double, at now: Timestamp) -> Bool {
        guard let due = due[device] else { return true }
        let used = due.seconds(since: now) * perSecond
        // Of a clock that was set back nothing follows. Times have microseconds.
        return used <= burst - amount + perSecond * 1e-6 || used > burst + perSecond * 1e-6
    }

    /// Counts what a device uses, up to the burst.
    public mutating func take(_ amount: Double, by device: DeviceID, at now: Timestamp) {
        let longest = now.advanced(bySeconds: burst / perSecond)
        let next = max(now, min(due[device] ?? now, longest))
        due[device] = min(next.advanced(bySeconds: amount / perSecond), longest)
        guard due.count > lookThroughAt else { return }
        due = due.filter { $0.value > now }
        lookThroughAt = max(Self.devicesKept, 2 * due.count)
    }
}
