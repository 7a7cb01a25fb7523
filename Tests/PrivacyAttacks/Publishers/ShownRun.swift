/// The data of one run that a viewer of a device's shares can read, from history and live.
public struct ShownRun: Sendable {
    /// Points in the order shown; each has a position.
    public var points: [ShownPoint] = []
    /// The time at which the viewer saw the run begin: `startedAt` or its first message.
    public var beganAt: Double?
    /// The time at which the viewer saw it end.
    public var endedAt: Double?
    /// Delay of every point for a live viewer, seconds.
    public var lateSeconds = 0.0
    /// The last values of the run, if published with a hidden position.
    public var finalDistanceMeters: Double?
    public var finalMovingSeconds: Double?
    public var finalElevationGainMeters: Double?
    /// Values of a second share of the device without positions, for the same run.
    public var beside: [ShownValue] = []

    public init() {}
}

/// One update with a position.
public struct ShownPoint: Sendable {
    /// Time of the position on the watch's clock, seconds since 1970.
    public var time: Double
    public var latitude: Double
    public var longitude: Double
    public var distanceMeters: Double?
    public var elapsedSeconds: Double?
    public var movingSeconds: Double?
    public var speed: Double?
    public var elevationGainMeters: Double?
    public var courseDegrees: Double?
    /// Time at which a live viewer received it, seconds since 1970.
    public var shownAt: Double?
    /// Number of its record in the log, as shown by cursors.
    public var record: Int?
    /// Whether positions between this one and the one before were hidden.
    public var followsHidden: Bool

    public init(time: Double, latitude: Double, longitude: Double, followsHidden: Bool) {
        self.time = time
        self.latitude = latitude
        self.longitude = longitude
        self.followsHidden = followsHidden
    }

    public var spot: Spot { TownFrame.spot(latitude: latitude, longitude: longitude) }
}

/// One update of a share that shows no positions.
public struct ShownValue: Sendable {
    public var time: Double
    public var distanceMeters: Double?
    public var movingSeconds: Double?

    public init(time: Double, distanceMeters: Double?, movingSeconds: Double?) {
        self.time = time
        self.distanceMeters = distanceMeters
        self.movingSeconds = movingSeconds
    }
}
