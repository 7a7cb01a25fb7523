public import SensorModel

/// The runner's body and sensors, and the place of the run.
public struct RunnerSettings: Hashable, Sendable {
    public enum Route: Hashable, Sendable {
        /// Blocks of 60 to 140 m with right-angled corners, near the start.
        case streets
        case circle(radiusMeters: Double)
    }

    public struct Tunnel: Hashable, Sendable {
        /// Seconds since the start.
        public var startSeconds: Double
        public var seconds: Double

        public init(startSeconds: Double, seconds: Double) {
            self.startSeconds = startSeconds
            self.seconds = seconds
        }
    }

    public struct FootPod: Hashable, Sendable {
        public var name = "pod"
        public var placement = MeasuredValues.Placement.foot
        /// Relative error of speed and distance.
        public var calibrationError = 0.01

        public init() {}
    }

    public enum Receiver: Hashable, Sendable {
        /// Sends accuracies, courses, and the satellites' own speed.
        case phone
        /// Sends a watch's filtered track: no accuracy or course, a speed that reads 0 below a
        /// walk, barometric height in steps of 0.2 m, and a fix every one to four seconds.
        case watch
    }

    public var startTime = Timestamp(microseconds: 1_763_700_000_000_000)
    public var placement = RunnerProfile.Placement.wrist

    // Motion
    /// Samples a second: 20, 50 or 100; 0 for no motion.
    public var motionRate = 50
    /// Motion samples in a frame; a divisor of ``motionRate``.
    public var samplesPerFrame = 25
    public var includesGravity = true
    public var hasGyroscope = true
    /// Standard deviation of the noise of each axis, g.
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
    public var receiver = Receiver.phone
    public var route = Route.streets
    /// Latitude of a place in the Atlantic, where nobody runs.
    public var latitude = 31.5
    public var longitude = -38.25
    /// Standard deviation of one axis of a fix, m.
    public var positionError = 3.0
    /// Share of the error that remains after one second.
    public var positionErrorCorrelation = 0.98
    /// Share of the time without a fix.
    public var positionGapShare = 0.0
    /// Distance between fixes, m, as on phones and watches with a filter; 0 for one each second.
    public var distanceFilterMeters = 0.0
    public var tunnels: [Tunnel] = []

    // Height and the rest
    public var sendsPressure = true
    /// Height from the bottom to the top of a hill, m.
    public var hillMeters = 12.0
    public var sendsStatus = true
    /// A sensor that computes values itself; `nil` if there is none.
    public var footPod: FootPod?
    /// Whether the truth of every second is kept. Otherwise only the last is, for runs without end.
    public var keepsTruth = true

    public init() {}
}
