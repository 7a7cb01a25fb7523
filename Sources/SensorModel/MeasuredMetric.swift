/// The newest values of one sensor, without its counts: those began before the session, or before
/// what a viewer may see.
public struct MeasuredMetric: Hashable, Sendable {
    public var values: MeasuredValues
    public var state: ValueState
    public var ageSeconds: Double
    /// The quantities that stand in for the daemon's own, which are missing: cadence, step count,
    /// speed, distance.
    public var standsIn: [MeasuredValues.Quantity]

    public init(
        values: MeasuredValues, state: ValueState, ageSeconds: Double,
        standsIn: [MeasuredValues.Quantity] = []
    ) {
        self.values = values
        self.state = state
        self.ageSeconds = ageSeconds
        self.standsIn = standsIn
    }
}
