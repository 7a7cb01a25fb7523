public import SensorModel

/// The heart rate that other services' reader interfaces return, kept apart from the fragments
/// because those are already encoded.
public struct HeartRateReading: Hashable, Sendable {
    /// Heart rate rounded to nearest.
    public var beatsPerMinute: Int
    /// Device time of the sample, not of the event that carried it.
    public var measuredAt: Timestamp
    public var state: ValueState
    public var source: String?

    public init(
        beatsPerMinute: Int, measuredAt: Timestamp, state: ValueState, source: String? = nil
    ) {
        self.beatsPerMinute = beatsPerMinute
        self.measuredAt = measuredAt
        self.state = state
        self.source = source
    }

    /// The same reading, with a live or paused state replaced by `stale`.
    var outdated: HeartRateReading {
        var reading = self
        if state == .live || state == .paused { reading.state = .stale }
        return reading
    }

    /// Returns `nil` until the first heart rate.
    public init?(_ metrics: Metrics, at time: Timestamp) {
        guard let heartRate = metrics.heartRate, heartRate.beatsPerMinute.isFinite else {
            return nil
        }
        beatsPerMinute = Int(heartRate.beatsPerMinute.rounded())
        measuredAt = time.advanced(bySeconds: -heartRate.ageSeconds)
        state = metrics.state == .ended ? .ended : heartRate.state
        source = heartRate.source
    }
}
