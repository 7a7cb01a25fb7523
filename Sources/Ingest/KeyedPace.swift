public import SensorModel

/// The rate limit of each device over days.
public typealias DevicePace = KeyedPace<DeviceID>

/// A rate limiter with one bucket for each key: a burst after a silence, then a steady rate.
///
/// Source: the generic cell rate algorithm (ITU-T I.371).
public struct KeyedPace<Key: Hashable & Sendable>: Sendable {
    /// The amount that may be used at once, and the amount regained each second.
    private var (burst, perSecond): (Double, Double)
    /// Time at which each key has regained everything. Arrival clock.
    private var due: [Key: Timestamp] = [:]
    /// Number of keys above which keys that have regained everything are forgotten. It is twice the
    /// number kept last time, so that the cost of a use does not depend on the number of keys.
    private var lookThroughAt = Self.keysKept
    private static var keysKept: Int { 1024 }

    public init(burst: Double, perSecond: Double) {
        (self.burst, self.perSecond) = (burst, perSecond)
    }

    /// Adopts another pace's limits; past use still counts.
    public mutating func follow(_ other: Self) {
        (burst, perSecond) = (other.burst, other.perSecond)
    }

    /// Number of keys in memory.
    var count: Int { due.count }

    /// - Returns: Whether the key may use `amount` now.
    public func hasRoom(_ key: Key, for amount: Double, at now: Timestamp) -> Bool {
        guard let due = due[key] else { return true }
        let used = due.seconds(since: now) * perSecond
        // Use above the burst means that the clock was set back, which refuses nothing. One second
        // of slack covers threads with slightly older times; one microsecond covers their rounding.
        return used <= burst - amount + perSecond * 1e-6 || used > burst + perSecond
    }

    /// Charges an amount to a key; a key never owes more than the burst.
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
    /// The pace of new sessions: a burst of more than ten years of imported runs, then one in 10 s.
    public static var sessions: Self { Self(burst: 20_000, perSecond: 0.1) }

    /// The pace of new sessions while ``SessionQuota`` is full: one a day, so that other devices
    /// cannot lock a runner out by filling it.
    public static var daily: Self { Self(burst: 1, perSecond: 1 / 86_400) }

    /// The pace of bytes in the log: four days' worth at once, for the import of ten years of runs.
    ///
    /// If the log's size is limited, a device may add at most a quarter of it at once and a
    /// sixteenth a day, because more would delete other devices' recordings. Even a small log
    /// accepts 64 MiB a day: six hours of motion at 100 Hz.
    ///
    /// - Parameters:
    ///   - mebibytesPerDay: Mebibytes that a device may add a day.
    ///   - retentionBytes: Size above which the log's oldest segments are deleted; `nil`: none.
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
