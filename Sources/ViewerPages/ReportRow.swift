/// Values drawn for one second of a session. `nil`: unknown.
public struct ReportRow: Sendable {
    /// Device time, seconds since 1970; rows are in its order.
    public var time: Double
    public var beatsPerMinute: Double?
    /// Zone, from 1.
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
