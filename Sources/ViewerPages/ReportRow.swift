/// What is drawn of one second of a session. `nil` is what was not known then.
public struct ReportRow: Sendable {
    /// Device time, seconds since 1970; rows come in its order.
    public var time: Double
    public var beatsPerMinute: Double?
    /// From 1.
    public var zone: Int?
    public var speedMetersPerSecond: Double?
    public var stepsPerMinute: Double?
    public var altitudeMeters: Double?
    public var distanceMeters: Double?
    public var latitude: Double?
    public var longitude: Double?
    public var isPaused = false

    public init(time: Double) {
        self.time = time
    }
}
