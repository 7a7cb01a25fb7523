public import SensorModel

/// What each device uses up over days: see ``KeyedPace``.
public typealias DevicePace = KeyedPace<DeviceID>

/// Limits what each of many uses up: some at once after a silence, then so much a second.
///
/// Source: the generic cell rate algorithm (ITU-T I.371).
public struct KeyedPace<Key: Hashable & Sendable>: Sendable {
    /// What may be used at once, and regained each second.
    private var (burst, perSecond): (Double, Double)
    /// Time at which each key has regained everything. Arrival clock.
    private var due: [Key: Timestamp] = [:]
    /// With more keys, those that have regained everything are forgotten. Twice as many as were left
    /// the last time, so that a use costs the same however many keys there are.
    private var lookThroughAt = Self.keysKept
    private static var keysKept: Int { 1024 }

    public init(burst: Double, perSecond: Double) {
        (self.burst, self.perSecond) = (burst, perSecond)
    }

    /// Takes another pace's limits; what was used stays used.
    public mutating func follow(_ other: Self) {
        (burst, perSecond) = (other.burst, other.perSecond)
    }

    /// Number of keys in memory.
    var count: Int { due.count }

    /// - Returns: Whether the key may use that much.
    public func hasRoom(_ key: Key, for amount: Double, at now: Timestamp) -> Bool {
        guard let due = due[key] else { return true }
        let used = due.seconds(since: now) * perSecond
        // Of a clock that was set back nothing follows; threads may ask with times of a moment ago. Times
        // have microseconds.
        return used <= burst - amount + perSecond * 1e-6 || used > burst + perSecond
    }

    /// Counts what a key uses, up to the burst.
    public mutating func take(_ amount: Double, by key: Key, at now: Timestamp) {
        let longest = now.advanced(bySeconds: burst / perSecond)
        let next = max(now, min(due[key] ?? now, longest))
        due[key] = min(next.advanced(bySeconds: amount / perSecond), longest)
        guard due.count > lookThroughAt else { return }
        due = due.filter { $0.value > now }
        lookThroughAt = max(Self.keysKept, 2 * due.count)
    }
}

extension KeyedPace where Key == DeviceID {
    /// Sessions: more at once than the runs of ten years that are brought in together, then one in 10 s.
    public static var sessions: Self { Self(burst: 20_000, perSecond: 0.1) }

    /// Sessions where ``SessionQuota`` is full: one a day, so that others who have filled it do not lock
    /// a runner out.
    public static var daily: Self { Self(burst: 1, perSecond: 1 / 86_400) }

    /// Bytes of the log: of four days at once, as where the runs of ten years are brought in together.
    ///
    /// Where the log's size is limited, at most a quarter of it at once and a sixteenth a day: whoever
    /// adds more deletes what others have recorded. A small log takes 64 MiB a day all the same: six
    /// hours of motion at 100 Hz.
    ///
    /// - Parameters:
    ///   - mebibytesPerDay: What a device may add a day.
    ///   - retentionBytes: Size above which the log's oldest segments are deleted.
    /// - Returns: The pace.
    public static func log(mebibytesPerDay: Int, retentionBytes: Int?) -> Self {
        var bytesPerDay = Double(mebibytesPerDay << 20)
        var burst = 4 * bytesPerDay
        if let retentionBytes = retentionBytes.map(Double.init) {
            bytesPerDay = min(bytesPerDay, max(retentionBytes / 16, smallBytesPerDay))
            burst = min(burst, max(retentionBytes / 4, 4 * smallBytesPerDay))
        }
        return Self(burst: burst, perSecond: bytesPerDay / 86_400)
    }

    private static var smallBytesPerDay: Double { Double(64 << 20) }
}
