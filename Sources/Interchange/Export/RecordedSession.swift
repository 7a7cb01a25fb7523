public import SensorModel

/// A finished (or still running) session, as other tools' formats want it: what an exporter is
/// given besides the frames themselves.
public struct RecordedSession: Sendable {
    public var id: SessionID
    /// The device's name, as the runner calls it.
    public var device: String
    /// What the file calls the activity; `nil`: nothing.
    public var name: String?
    /// Lower case, as "running".
    public var sport: String
    public var start: Timestamp
    public var end: Timestamp
    /// Each moment at which something was measured, in order of time.
    public var points: [SessionPoint]
    /// What was known last in each whole second of device time, rising; one a second.
    public var seconds: [SessionPoint]
    public var laps: [RecordedLap]
    /// Kilometers or miles, in order, with the moment each was full.
    public var splits: [SessionSplit]
    /// Not overlapping, rising; manual and automatic.
    public var pauses: [RecordedPause]
    public var totals: DeviceTotals

    public init(
        id: SessionID, device: String, name: String? = nil, sport: String = "running",
        start: Timestamp, end: Timestamp,
        points: [SessionPoint] = [], seconds: [SessionPoint] = [], laps: [RecordedLap] = [],
        splits: [SessionSplit] = [],
        pauses: [RecordedPause] = [], totals: DeviceTotals = DeviceTotals()
    ) {
        self.id = id
        self.device = device
        self.name = name
        self.sport = sport
        self.start = start
        self.end = end
        self.points = points
        self.seconds = seconds
        self.laps = laps
        self.splits = splits
        self.pauses = pauses
        self.totals = totals
    }
}

/// What was known of a session at one moment; `nil`: nothing.
public struct SessionPoint: Hashable, Sendable {
    public var time: Timestamp
    /// Degrees.
    public var latitude: Double?
    public var longitude: Double?
    public var altitudeMeters: Double?
    public var horizontalAccuracyMeters: Double?
    /// Beats/min.
    public var heartRate: Double?
    /// Steps/min, of both feet.
    public var cadence: Double?
    public var distanceMeters: Double?
    public var speedMetersPerSecond: Double?
    public var paused: Bool
    public var steps: Int?
    /// When the daemon had it; `nil`: take ``time``.
    public var arrivalTime: Timestamp?

    public init(
        time: Timestamp, latitude: Double? = nil, longitude: Double? = nil,
        altitudeMeters: Double? = nil, horizontalAccuracyMeters: Double? = nil,
        heartRate: Double? = nil, cadence: Double? = nil, distanceMeters: Double? = nil,
        speedMetersPerSecond: Double? = nil, paused: Bool = false, steps: Int? = nil,
        arrivalTime: Timestamp? = nil
    ) {
        self.time = time
        self.latitude = latitude
        self.longitude = longitude
        self.altitudeMeters = altitudeMeters
        self.horizontalAccuracyMeters = horizontalAccuracyMeters
        self.heartRate = heartRate
        self.cadence = cadence
        self.distanceMeters = distanceMeters
        self.speedMetersPerSecond = speedMetersPerSecond
        self.paused = paused
        self.steps = steps
        self.arrivalTime = arrivalTime
    }
}

public struct SessionSplit: Hashable, Sendable {
    public var time: Timestamp
    public var split: Split

    public init(time: Timestamp, split: Split) {
        self.time = time
        self.split = split
    }
}
