public import SensorModel

/// What really was at the end of a second, whatever the sensors said.
public struct RunnerTruth: Hashable, Sendable {
    public var deviceTime: Timestamp
    /// Since the start.
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
    /// Sum of all that went up, m.
    public var climbMeters: Double
    public var isStanding: Bool
    public var isPausedByHand: Bool
}

/// A time in which the runner stood.
public struct TruePause: Hashable, Sendable {
    public var start: Timestamp
    /// `nil` while it lasts.
    public var end: Timestamp?
    public var byHand: Bool
}
