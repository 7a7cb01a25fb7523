/// Consecutive motion samples, equally spaced.
public struct MotionBatch: Hashable, Sendable {
    public var traits: MotionTraits
    /// Time between two samples; 0 for a single sample.
    public var intervalMicroseconds: UInt32
    /// 1…``Limits/motionSamplesMax``.
    public var samples: [MotionSample]
    /// Heart rate from the same text frame (the RunningBuddy form), beats/min.
    public var heartRate: Double?

    public init(
        traits: MotionTraits, intervalMicroseconds: UInt32, samples: [MotionSample],
        heartRate: Double? = nil
    ) {
        self.traits = traits
        self.intervalMicroseconds = intervalMicroseconds
        self.samples = samples
        self.heartRate = heartRate
    }

    /// The heart rate as a sample of its own; `nil` if there is none or it is out of range.
    public var heartRateSample: HeartRateSample? {
        heartRate.flatMap { try? HeartRateSample(beatsPerMinute: $0) }
    }

    /// - Parameters:
    ///   - index: Index of a sample.
    ///   - start: Time of the first sample.
    /// - Returns: Time of the sample.
    public func time(of index: Int, from start: Timestamp) -> Timestamp {
        start.advanced(byMicroseconds: Int64(index) * Int64(intervalMicroseconds))
    }
}
