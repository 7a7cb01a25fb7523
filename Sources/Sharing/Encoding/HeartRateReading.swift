public import SensorModel

/// The one value that readers of other services' interfaces ask for. A value of its own beside
/// the fragments, since those are encoded already.
public struct HeartRateReading: Hashable, Sendable {
    /// Rounded to nearest.
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

    /// The same, of a moment ago: none is shown any more.
    var outdated: HeartRateReading {
        var reading = self
        if state == .live || state == .paused { reading.state = .stale }
        return reading
    }

    /// `nil` while no heart rate has come.
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
