public import SensorModel

/// Limits how many sessions each device begins: the catalog keeps about a kibibyte of each in memory
/// for as long as the log has it.
///
/// A burst is more than the runs of ten years that are brought in at once. After it, sessions come as
/// evenly as no watch begins them.
public struct SessionPace: Sendable {
    /// Sessions that a device may begin at once, after a silence.
    public static let burst = 20_000
    /// Time after which one more may begin.
    public static let secondsEach = 10.0

    /// Time of each device's next session if they were evenly spaced. Arrival clock.
    private var due: [DeviceID: Timestamp] = [:]
    /// With more devices, those that may begin the whole burst again are forgotten. Twice as many as
    /// were left the last time, so that a session costs the same however many devices there are.
    private var lookThroughAt = Self.devicesKept
    private static let devicesKept = 1024

    public init() {}

    /// Number of devices in memory.
    var count: Int { due.count }

    /// - Returns: Whether the device may begin a session.
    public func hasRoom(_ device: DeviceID, at now: Timestamp) -> Bool {
        guard let due = due[device] else { return true }
        let ahead = due.seconds(since: now)
        // Of a clock that was set back nothing follows.
        return ahead <= Double(Self.burst - 1) * Self.secondsEach
            || ahead > Double(Self.burst) * Self.secondsEach
    }

    /// Counts a session that begins.
    public mutating func take(_ device: DeviceID, at now: Timestamp) {
        let longest = now.advanced(bySeconds: Double(Self.burst) * Self.secondsEach)
        let next = max(now, min(due[device] ?? now, longest))
        due[device] = min(next.advanced(bySeconds: Self.secondsEach), longest)
        guard due.count > lookThroughAt else { return }
        due = due.filter { $0.value > now }
        lookThroughAt = max(Self.devicesKept, 2 * due.count)
    }
}
