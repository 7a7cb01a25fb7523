/// The settings that turn heart rates into zones and load.
public struct ZoneSettings: Hashable, Sendable {
    public var scheme: ZoneScheme
    /// Beats/min, like the other heart rates.
    public var maxHeartRate: Int
    public var restingHeartRate: Int?
    public var thresholdHeartRate: Int?

    public init(
        scheme: ZoneScheme, maxHeartRate: Int, restingHeartRate: Int?, thresholdHeartRate: Int?
    ) {
        self.scheme = scheme
        self.maxHeartRate = maxHeartRate
        self.restingHeartRate = restingHeartRate
        self.thresholdHeartRate = thresholdHeartRate
    }
}

extension RunnerProfile {
    public var zoneSettings: ZoneSettings {
        get {
            ZoneSettings(
                scheme: zones, maxHeartRate: maxHeartRate, restingHeartRate: restingHeartRate,
                thresholdHeartRate: thresholdHeartRate)
        }
        set {
            zones = newValue.scheme
            maxHeartRate = newValue.maxHeartRate
            restingHeartRate = newValue.restingHeartRate
            thresholdHeartRate = newValue.thresholdHeartRate
        }
    }
}

/// Zones that applied before those of the profile. A recording of an earlier day is computed with
/// the zones of that day.
///
///     past       A until March | B until June | then the profile's
public struct ZoneHistory: Hashable, Sendable {
    public struct Past: Hashable, Sendable {
        /// The end of their validity, exclusive.
        public var until: Timestamp
        public var settings: ZoneSettings

        public init(until: Timestamp, settings: ZoneSettings) {
            self.until = until
            self.settings = settings
        }
    }

    /// More than monthly changes in five years.
    public static let pastMax = 64

    /// Earlier zones, by rising ``Past/until``.
    public private(set) var past: [Past]

    public init(past: [Past] = []) {
        self.past = past.sorted { $0.until < $1.until }.suffix(Self.pastMax)
    }

    /// The zones at a moment; `current` is the profile's.
    public func settings(at time: Timestamp, current: ZoneSettings) -> ZoneSettings {
        past.first { time < $0.until }?.settings ?? current
    }

    /// Changes the profile's zones from a moment on, in the past or future. Removes later changes.
    ///
    /// - Parameters:
    ///   - old: The profile's zones so far.
    ///   - new: The profile's zones from now on.
    ///   - time: The start of `new`.
    public mutating func change(from old: ZoneSettings, to new: ZoneSettings, at time: Timestamp) {
        let before = settings(at: time.advanced(byMicroseconds: -1), current: old)
        past.removeAll { $0.until >= time }
        guard before != new else { return }
        past.append(Past(until: time, settings: before))
        if past.count > Self.pastMax { past.removeFirst() }
    }
}
