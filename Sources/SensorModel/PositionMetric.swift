public struct PositionMetric: Hashable, Sendable {
    public var latitude: Double
    public var longitude: Double
    public var altitudeMeters: Double?
    /// What the receiver claims, as it defines it.
    public var horizontalAccuracyMeters: Double?
    public var courseDegrees: Double?
    public var state: ValueState

    public init(
        latitude: Double, longitude: Double, altitudeMeters: Double?,
        horizontalAccuracyMeters: Double?, courseDegrees: Double?, state: ValueState
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.altitudeMeters = altitudeMeters
        self.horizontalAccuracyMeters = horizontalAccuracyMeters
        self.courseDegrees = courseDegrees
        self.state = state
    }
}
