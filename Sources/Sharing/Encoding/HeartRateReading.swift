public import SensorModel

/// The heart rate that other services' reader interfaces return, kept apart from the fragments
/// because those are already encoded.
public struct HeartRateReading: Hashable, Sendable {
    /// Heart rate rounded to nearest.
    public var beatsPerMinute: Int
    /// Device time of the sample, not of the event that carried it.
    public var measuredAt: Timestamp
    /// Time of the reading before it, from which this one holds; `nil`: there is none, or
    /// something that is not shown lies between.
    public var startedAt: Timestamp?
    public var state: ValueState
    public var source: String?

    /// Readings further apart are not joined: no heart rate stays live for longer.
    private static let joinedSecondsMax = 15.0

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
        if isCurrent { reading.state = .stale }
        return reading
    }

    /// Whether the value is current: other services' interfaces cannot mark old values, so those
    /// are omitted.
    public var isCurrent: Bool { state == .live || state == .paused }

    /// The same reading, joined to the one shown before it if that was current until then.
    public func following(_ earlier: HeartRateReading?) -> HeartRateReading {
        guard let earlier else { return self }
        var reading = self
        let seconds = measuredAt.seconds(since: earlier.measuredAt)
        if seconds == 0 {
            reading.startedAt = earlier.startedAt
        } else if earlier.isCurrent, seconds > 0, seconds <= Self.joinedSecondsMax {
            reading.startedAt = earlier.measuredAt
        }
        return reading
    }

    /// Lets a recording's first reading hold for as long as the second.
    public static func startFirst(of readings: inout [HeartRateReading]) {
        guard let first = readings.first, first.startedAt == nil,
            let next = readings.first(where: { $0.measuredAt > first.measuredAt }),
            next.startedAt == first.measuredAt
        else { return }
        let seconds = next.measuredAt.seconds(since: first.measuredAt)
        for index in readings.indices.prefix(while: { readings[$0].measuredAt == first.measuredAt })
        {
            readings[index].startedAt = first.measuredAt.advanced(bySeconds: -seconds)
        }
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
