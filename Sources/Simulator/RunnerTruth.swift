public import SensorModel

/// The true values at the end of a second, whatever the sensors reported.
public struct RunnerTruth: Hashable, Sendable {
    public var deviceTime: Timestamp
    /// Seconds since the start.
    public var seconds: Double
    public var distanceMeters: Double
    public var speedMetersPerSecond: Double
    public var steps: Int
    /// Steps/min; 0 while standing.
    public var cadence: Double
    public var heartRate: Double
    public var latitude: Double
    public var longitude: Double
    public var altitudeMeters: Double
    /// Sum of all rises, m.
    public var climbMeters: Double
    public var isStanding: Bool
    public var isPausedByHand: Bool
}

/// A period in which the runner stood.
public struct TruePause: Hashable, Sendable {
    public var start: Timestamp
    /// End of the pause; `nil` while it continues.
    public var end: Timestamp?
    public var byHand: Bool
}
