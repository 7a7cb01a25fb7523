public struct HeartRateMetric: Hashable, Sendable {
    /// No uncertainty: sensors tell none. The two suspicions say when not to trust it.
    public var beatsPerMinute: Double
    /// Zone of this heart rate, from 1; `nil` when the state is stale.
    public var zone: Int?
    public var state: ValueState
    public var ageSeconds: Double
    public var source: String?
    /// Root mean square of successive RR differences, ms.
    public var rmssdMilliseconds: Double?
    /// Whether the sensor seems to count steps instead of beats.
    public var cadenceLockSuspected: Bool
    /// Whether newer readings changed too fast to be believed; the value is the last before them.
    public var spikeSuspected: Bool

    public init(
        beatsPerMinute: Double, zone: Int?, state: ValueState, ageSeconds: Double,
        source: String? = nil, rmssdMilliseconds: Double? = nil, cadenceLockSuspected: Bool = false,
        spikeSuspected: Bool = false
    ) {
        self.beatsPerMinute = beatsPerMinute
        self.zone = zone
        self.state = state
        self.ageSeconds = ageSeconds
        self.source = source
        self.rmssdMilliseconds = rmssdMilliseconds
        self.cadenceLockSuspected = cadenceLockSuspected
        self.spikeSuspected = spikeSuspected
    }
}
