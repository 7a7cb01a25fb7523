public import SensorModel

/// Steps and cadence from raw motion samples, whatever the sensor's place, orientation and rate.
public struct CadenceProcessor: Sendable {
    public private(set) var cadence = CadenceMetric(
        stepsPerMinute: nil, confidence: 0, uncertainty: nil, state: .waiting)
    /// Never falls. A start is credited at once when its regular steps have confirmed it.
    public private(set) var steps = 0
    public private(set) var activity = MotionActivity(kind: .unknown, since: nil)

    private let placement: RunnerProfile.Placement?
    private var newest: Timestamp?

    /// - Parameter placement: Where the sensor is worn; `nil` when nobody said.
    public init(placement: RunnerProfile.Placement?) {
        self.placement = placement
    }

    /// Takes one sample; a time that is not later than the newest is ignored.
    public mutating func update(
        _ sample: MotionSample, traits: MotionTraits, at time: Timestamp
    ) {
        if let newest, time <= newest { return }
        newest = time
    }

    /// Lets values age: called at whole seconds of device time, and after silence.
    public mutating func tick(at time: Timestamp) {}

    /// Tells the runner's speed where a position source knows it; `nil` when it no longer does.
    public mutating func noteSpeed(_ metersPerSecond: Double?, at time: Timestamp) {}
}
