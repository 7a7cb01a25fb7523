public import SensorModel

/// The runner's body, what is worn, and where.
public struct RunnerSettings: Hashable, Sendable {
    public enum Route: Hashable, Sendable {
        /// Blocks of 60 to 140 m with right-angled corners, not far from the start.
        case streets
        case circle(radiusMeters: Double)
    }

    public struct Tunnel: Hashable, Sendable {
        /// Since the start.
        public var startSeconds: Double
        public var seconds: Double

        public init(startSeconds: Double, seconds: Double) {
            self.startSeconds = startSeconds
            self.seconds = seconds
        }
    }

    public var startTime = Timestamp(microseconds: 1_763_700_000_000_000)
    public var placement = RunnerProfile.Placement.wrist

    // Motion
    /// Samples a second: 20, 50 or 100; 0: no motion.
    public var motionRate = 50
    /// Divides ``motionRate``.
    public var samplesPerFrame = 25
    public var includesGravity = true
    public var hasGyroscope = true
    /// Standard deviation of each axis, g.
    public var accelerationNoise = 0.03

    // Heart
    public var sendsHeartRate = true
    public var sendsRRIntervals = false
    public var restingHeartRate = 55.0
    public var maxHeartRate = 190.0
    /// Speed at which the heart is at its maximum, m/s.
    public var maxAerobicSpeed = 5.0

    // Position
    public var sendsLocation = true
    public var route = Route.streets
    /// In the Atlantic, where nobody runs.
    public var latitude = 31.5
    public var longitude = -38.25
    /// Of one axis of the fix, m.
    public var positionError = 3.0
    /// What is left of the error a second later.
    public var positionErrorCorrelation = 0.98
    /// Share of the time without a fix.
    public var positionGapShare = 0.0
    /// A fix only after this many meters, as phones and watches can be told; 0: every second.
    public var distanceFilterMeters = 0.0
    public var tunnels: [Tunnel] = []

    // Height and the rest
    public var sendsPressure = true
    /// From bottom to top of a hill, m.
    public var hillMeters = 12.0
    public var sendsStatus = true
    /// Keeps every second's truth; without it only the last, for runs without end.
    public var keepsTruth = true

    public init() {}
}
