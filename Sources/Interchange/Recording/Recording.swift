public import SensorModel

/// What a file of somebody's run holds, in the words of a device: the one form every reader
/// yields, whatever the file's format was.
///
/// A recording is played as a device would send it. What has no frame kind (cadence, distance,
/// pauses the device made by itself) stays beside the frames, to compare with.
public struct Recording: Sendable {
    public var format: RecordingFormat
    /// The time of the first item.
    public var start: Timestamp
    /// The file says when it was made; else ``start`` is ``arbitraryStart`` and only
    /// differences of times mean anything.
    public var startIsKnown: Bool
    public var name: String?
    /// Lower case, as "running"; `nil` where the file does not say.
    public var sport: String?
    /// In order of time; none has a sequence. A motion batch spans neither another frame nor the
    /// beginning of a second, so that what is known at a second is what had come by then.
    public var frames: [Frame]
    /// What the recording device itself computed, for comparison; a value a second at most.
    public var deviceValues: [DeviceValues]
    public var laps: [RecordedLap]
    /// Those a person asked for are also frames of control; the device's own are only here.
    public var pauses: [RecordedPause]
    public var totals: DeviceTotals
    /// Items that were read and could not be used, by reason.
    public var refused: RefusalCounts
    /// What a person should know of the file, in sentences: a clock that ran backwards.
    public var notes: [String]

    /// Where a recording is put that does not say when it was: 2020-01-01T00:00:00Z.
    public static let arbitraryStart = Timestamp(microseconds: 1_577_836_800_000_000)

    init(format: RecordingFormat, start: Timestamp = Self.arbitraryStart) {
        self.format = format
        self.start = start
        startIsKnown = true
        frames = []
        deviceValues = []
        laps = []
        pauses = []
        totals = DeviceTotals()
        refused = RefusalCounts()
        notes = []
    }

    /// From the first item to the last, seconds.
    public var durationSeconds: Double {
        guard let last = frames.last else { return 0 }
        return last.deviceTime.seconds(since: start)
    }
}

/// How a recording was written.
public enum RecordingFormat: String, CaseIterable, Sendable {
    case fit, gpx, tcx
    /// A folder of imu.csv, gps.csv and hr.csv.
    case neutral
    /// Our own, a row a second.
    case csv
    /// The reference application's 8 columns.
    case motionCSV
    /// Our own, an object a line.
    case ndjson

    public var name: String {
        switch self {
        case .fit: "FIT"
        case .gpx: "GPX"
        case .tcx: "TCX"
        case .neutral: "neutral folder"
        case .csv: "CSV"
        case .motionCSV: "motion CSV"
        case .ndjson: "NDJSON"
        }
    }
}

/// What the recording device computed, at one moment; `nil`: it did not say.
public struct DeviceValues: Hashable, Sendable {
    public var time: Timestamp
    /// Steps a minute, of both feet.
    public var cadence: Double?
    /// Since the start.
    public var distanceMeters: Double?
    public var speedMetersPerSecond: Double?
    public var powerWatts: Double?

    public init(
        time: Timestamp, cadence: Double? = nil, distanceMeters: Double? = nil,
        speedMetersPerSecond: Double? = nil, powerWatts: Double? = nil
    ) {
        self.time = time
        self.cadence = cadence
        self.distanceMeters = distanceMeters
        self.speedMetersPerSecond = speedMetersPerSecond
        self.powerWatts = powerWatts
    }

    var isEmpty: Bool {
        cadence == nil && distanceMeters == nil && speedMetersPerSecond == nil && powerWatts == nil
    }
}

/// A lap as the recording device closed it.
public struct RecordedLap: Hashable, Sendable {
    public var start: Timestamp
    public var end: Timestamp
    /// Without pauses.
    public var timerSeconds: Double?
    public var distanceMeters: Double?
    public var averageHeartRate: Double?

    public init(
        start: Timestamp, end: Timestamp, timerSeconds: Double? = nil,
        distanceMeters: Double? = nil, averageHeartRate: Double? = nil
    ) {
        self.start = start
        self.end = end
        self.timerSeconds = timerSeconds
        self.distanceMeters = distanceMeters
        self.averageHeartRate = averageHeartRate
    }
}

public struct RecordedPause: Hashable, Sendable {
    public var start: Timestamp
    public var end: Timestamp
    /// The device paused by itself; nobody asked.
    public var automatic: Bool

    public init(start: Timestamp, end: Timestamp, automatic: Bool) {
        self.start = start
        self.end = end
        self.automatic = automatic
    }
}

/// The recording device's own sums; `nil`: it did not say.
public struct DeviceTotals: Hashable, Sendable {
    public var distanceMeters: Double?
    /// Without pauses.
    public var timerSeconds: Double?
    public var elapsedSeconds: Double?
    public var ascentMeters: Double?
    public var averageHeartRate: Double?
    public var maxHeartRate: Double?
    /// Of both feet.
    public var steps: Int?

    public init() {}
}
