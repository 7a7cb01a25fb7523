public import SensorModel

/// The contents of a run's file as a device's frames: the result of every reader.
///
/// A recording is played like the live data of a device. Values that the device computed itself
/// (cadence, distance, speed, power) are frames, and also kept separately for comparison. Its
/// automatic pauses are only kept separately.
public struct Recording: Sendable {
    public var format: RecordingFormat
    /// The time of the first item.
    public var start: Timestamp
    /// Whether the file has absolute times. If not, ``start`` is ``arbitraryStart`` and only
    /// differences of times are meaningful.
    public var startIsKnown: Bool
    public var name: String?
    /// Sport in lower case, for example "running"; `nil` if the file names none.
    public var sport: String?
    /// Frames in order of time, without sequences. A motion batch spans neither another frame nor
    /// the beginning of a second, so the values at a second depend only on earlier data.
    public var frames: [Frame]
    /// Values computed by the recording device, for comparison; at most one a second.
    public var deviceValues: [DeviceValues]
    public var laps: [RecordedLap]
    /// Pauses. Manual ones are also control frames; automatic ones are only here.
    public var pauses: [RecordedPause]
    public var totals: DeviceTotals
    /// Counts of unusable items, by reason.
    public var refused: RefusalCounts
    /// Counts of values that no frame holds, by field. An import loses them.
    public var dropped: FieldCounts
    /// Counts of values that the daemon's own replace in an export to the same format, by field.
    public var replaced: FieldCounts
    /// Remarks on the file for its owner, in sentences, for example on a clock that ran backwards.
    public var notes: [String]

    /// Start of a recording without absolute times: 2020-01-01T00:00:00Z.
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
        dropped = FieldCounts()
        replaced = FieldCounts()
        notes = []
    }

    /// Seconds from the first item to the last.
    public var durationSeconds: Double {
        guard let last = frames.last else { return 0 }
        return last.deviceTime.seconds(since: start)
    }
}

/// Format of a recording.
public enum RecordingFormat: String, CaseIterable, Sendable {
    case fit, gpx, tcx
    /// A folder of imu.csv, gps.csv and hr.csv.
    case neutral
    /// Our own CSV, one row a second.
    case csv
    /// The reference application's 8 columns.
    case motionCSV
    /// Our own NDJSON, one object per line.
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

/// Values computed by the recording device at one moment; `nil` if not given.
public struct DeviceValues: Hashable, Sendable {
    public var time: Timestamp
    /// Steps per minute, both feet.
    public var cadence: Double?
    /// Meters since the start.
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

/// A lap, as closed by the recording device.
public struct RecordedLap: Hashable, Sendable {
    public var start: Timestamp
    public var end: Timestamp
    /// Seconds without pauses.
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
    /// Whether the device paused automatically.
    public var automatic: Bool

    public init(start: Timestamp, end: Timestamp, automatic: Bool) {
        self.start = start
        self.end = end
        self.automatic = automatic
    }
}

/// Totals of the recording device; `nil` if not given.
public struct DeviceTotals: Hashable, Sendable {
    public var distanceMeters: Double?
    /// Seconds without pauses.
    public var timerSeconds: Double?
    public var elapsedSeconds: Double?
    public var ascentMeters: Double?
    public var averageHeartRate: Double?
    public var maxHeartRate: Double?
    /// Steps of both feet.
    public var steps: Int?

    public init() {}
}
