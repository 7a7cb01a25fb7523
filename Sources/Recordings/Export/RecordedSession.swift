public import SensorModel

/// A session, finished or still running, in the form that other tools' formats need: the input of
/// an exporter besides the frames.
public struct RecordedSession: Sendable {
    public var id: SessionID
    /// The device's name, as given by the runner.
    public var device: String
    /// Name of the activity in the file; `nil` if there is none.
    public var name: String?
    /// Sport in lower case, for example "running".
    public var sport: String
    public var start: Timestamp
    public var end: Timestamp
    /// Each moment with a measurement, in order of time.
    public var points: [SessionPoint]
    /// Last known values in each whole second of device time, rising; one a second.
    public var seconds: [SessionPoint]
    public var laps: [RecordedLap]
    /// Kilometers or miles in order, each with the time of its completion.
    public var splits: [SessionSplit]
    /// Manual and automatic pauses, rising, without overlap.
    public var pauses: [RecordedPause]
    public var totals: DeviceTotals
    /// Values that sensors computed themselves, in order of time.
    public var measured: [MeasuredMoment] = []
    /// Intervals between beats, 1/1024 s, at the time of their heart rate.
    public var beats: [Beats] = []
    /// Messages of other programs in the order of the log, at most ``foreignBytesMax`` bytes.
    public var foreign: [ForeignMoment] = []

    public static let foreignBytesMax = FITRemainders.bytesMax

    public struct ForeignMoment: Hashable, Sendable {
        public var time: Timestamp
        public var messages: ForeignMessages
    }

    public struct MeasuredMoment: Hashable, Sendable {
        public var time: Timestamp
        public var values: MeasuredValues
    }

    public struct Beats: Hashable, Sendable {
        public var time: Timestamp
        public var intervals: [UInt16]
    }

    /// Memory of a moment with the dictionary of its values, its sorted copy and its point.
    private static let measuredBytes =
        256 + 2 * (MemoryLayout<MeasuredMoment>.stride + MemoryLayout<SessionPoint>.stride)

    /// Memory in bytes of beats and other programs' messages, after the session is finished.
    var listBytes = 0

    /// Memory in bytes of the parts that grow with the session.
    public var bytes: Int {
        (points.count + seconds.count) * MemoryLayout<SessionPoint>.stride
            + laps.count * MemoryLayout<RecordedLap>.stride
            + splits.count * MemoryLayout<SessionSplit>.stride
            + pauses.count * MemoryLayout<RecordedPause>.stride
            + measured.count * Self.measuredBytes + listBytes
    }

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

/// Values of a session at one moment; `nil` if unknown.
public struct SessionPoint: Hashable, Sendable {
    public var time: Timestamp
    /// Degrees.
    public var latitude: Double?
    public var longitude: Double?
    public var altitudeMeters: Double?
    public var horizontalAccuracyMeters: Double?
    /// Beats/min.
    public var heartRate: Double?
    /// Steps/min of both feet.
    public var cadence: Double?
    public var distanceMeters: Double?
    public var speedMetersPerSecond: Double?
    public var paused: Bool
    public var steps: Int?
    /// The sensor that counted the cadence; `nil` if the daemon computed it from motion.
    public var cadenceSource: String?
    public var powerWatts: Double?
    /// Turns of the pedals a minute.
    public var pedalCadence: Double?
    /// Arrival time at the daemon; `nil` if it is the same as ``time``.
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
