public import SensorModel

/// Bytes after the last whole record of the newest segment.
///
/// An interrupted write leaves such bytes, none of them acknowledged. Bytes that decayed after the
/// newest anchor, 16 KiB at most, look the same: no later record proves them durable.
public struct TornTail: Hashable, Sendable {
    public var segment: String
    public var byte: Int
    public var bytes: Int

    public init(segment: String, byte: Int, bytes: Int) {
        self.segment = segment
        self.byte = byte
        self.bytes = bytes
    }
}

/// A place where the log does not contain what was written.
public struct LogDamage: Hashable, Sendable {
    public enum Reason: String, Sendable {
        case header = "the segment's header is damaged"
        case record = "records fail their checksum"
        case footer = "the index at the end is damaged"
        case missingSegment = "the segment is missing"
        case lostBefore = "records were lost to damage before an earlier recovery"
        case unreadable = "the disk cannot read it"
        case catalog = "the catalog says something else of it"
        case undecided = "left as it is until the disk can read the segments after it"
    }

    public var segment: String
    public var byte: Int
    public var reason: Reason

    public init(segment: String, byte: Int, reason: Reason) {
        self.segment = segment
        self.byte = byte
        self.reason = reason
    }
}

/// A segment that is not repaired yet. It has no index and is read as far as possible, or it still
/// contains bytes of erased sessions, which no reader sees.
public struct UnrepairedSegment: Hashable, Sendable {
    public var segment: String
    /// Why it could not be repaired.
    public var error: DiskError

    public init(segment: String, error: DiskError) {
        self.segment = segment
        self.error = error
    }
}

/// Result of opening a log.
public struct RecoveryReport: Hashable, Sendable {
    public var segments = 0
    public var records = 0
    public var bytes = 0
    public var tornTail: TornTail?
    public var damaged: [LogDamage] = []
    /// Segments that the last run left open, or half erased, and that could not be repaired yet.
    public var leftOpen: [UnrepairedSegment] = []
    /// Whether the log was closed cleanly the last time.
    public var wasClosed = true
}

/// Counts and findings that `log verify` prints.
public struct LogVerification: Hashable, Sendable {
    public var segments = 0
    public var records = 0
    public var frames = 0
    public var bytes = 0
    public var damaged: [LogDamage] = []
    public var tornTail: TornTail?
}

/// One session's index data over all segments.
public struct SessionSummary: Hashable, Sendable {
    public var session: SessionID
    public var device: DeviceID
    public var firstOffset: RecordOffset
    public var lastOffset: RecordOffset
    public var records: Int
    public var frames: Int
    /// Highest sequence number of counted frames; ``FrameSequence/none`` if there are none.
    public var highestSequence: FrameSequence
    /// Device times of frames; `nil` before the first.
    public var deviceTimes: ClosedRange<Timestamp>?
    public var arrivalTimes: ClosedRange<Timestamp>
}

/// One file of the log.
public struct SegmentSummary: Hashable, Sendable {
    public var name: String
    public var isSealed: Bool
    public var bytes: Int
    public var firstOffset: RecordOffset
    /// The first offset after the file's records.
    public var endOffset: RecordOffset
    public var records: Int
    public var sessions: Int
    public var arrivalTimes: ClosedRange<Timestamp>?
}

/// Counts of what a deletion or retention removed from the disk.
public struct Erasure: Hashable, Sendable {
    public var sessions = 0
    public var records = 0
    /// Bytes overwritten in place, or returned to the file system.
    public var bytes = 0
    public var segments = 0
    /// Records that are missing from segments repaired by an erasure.
    public var damaged: [LogDamage] = []
}

/// Whether appends reach the disk.
public enum LogState: Hashable, Sendable {
    case writing
    /// No append is acknowledged; appends wait in memory until a new segment takes over.
    case failed(DiskError)
    case closed
}
