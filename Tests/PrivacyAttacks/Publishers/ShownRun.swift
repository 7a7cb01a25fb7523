/// What a viewer of a device's shares can read of one run, from history and from live.
public struct ShownRun: Sendable {
    /// In the order they were shown. Every one has a position.
    public var points: [ShownPoint] = []
    /// When the viewer saw the run begin: `startedAt`, or the first message of it.
    public var beganAt: Double?
    /// When the viewer saw it end.
    public var endedAt: Double?
    /// By how much every point comes late for who watches live.
    public var lateSeconds = 0.0
    /// The last values of the run, where they are told beside a position that is hidden.
    public var finalDistanceMeters: Double?
    public var finalMovingSeconds: Double?
    public var finalElevationGainMeters: Double?
    /// What a second share of the device, without positions, tells of the same run.
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
    /// When a viewer who watches live got it, seconds since 1970.
    public var shownAt: Double?
    /// Number of its record in the log, as cursors tell it.
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
