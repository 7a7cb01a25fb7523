import SensorModel

/// A summary of a segment, so that records are found without reading all of it.
///
/// It is kept in memory while the segment is written, and stored at its end when it is sealed.
struct SegmentIndex: Hashable, Sendable {
    /// One session's part in this segment.
    struct Part: Hashable, Sendable {
        var session: SessionID
        var device: DeviceID
        var firstOffset: UInt64
        var lastOffset: UInt64
        var records: UInt64 = 0
        var frames: UInt64 = 0
        var highestSequence: UInt32 = 0
        /// Bytes that the session took in this segment until it was erased in place.
        var erasedBytes: UInt32 = 0
        /// Device times of frames; without frames, the first is greater than the last.
        var deviceFirst = Int64.max
        var deviceLast = Int64.min
        var arrivalFirst = Int64.max
        var arrivalLast = Int64.min

        /// A number whose introduction is lost or erased: it has no records.
        static let unknown = Part(
            session: SessionID(high: 0, low: 0), device: DeviceID(rawValue: 0), firstOffset: 0,
            lastOffset: 0)
    }

    /// A known place in the file, from which reading can start.
    struct Mark: Hashable, Sendable {
        var position: UInt32
        /// The session's number in this segment; 0: a place that belongs to no session.
        var number: UInt16
        var tag: UInt8
        var offset: UInt64
        var deviceTime: Int64
    }

    /// Maximum of a session's records, and of bytes, between two of its marks: the range that a
    /// seek reads.
    static let markRecords = 512
    static let markBytes = 4 << 20

    var firstOffset: UInt64
    /// The first offset after the segment.
    var endOffset: UInt64
    var records: UInt64 = 0
    var frames: UInt64 = 0
    var arrivalFirst = Int64.max
    var arrivalLast = Int64.min
    /// Parts by session: a session's number is its index here plus 1.
    var parts: [Part] = []
    var marks: [Mark] = []

    init(firstOffset: UInt64) {
        self.firstOffset = firstOffset
        endOffset = firstOffset
    }

    /// Adds a record at `position`. The record gets a mark if it is a snapshot, or if its session
    /// has had enough records or bytes since its last mark.
    mutating func note(
        _ record: RawRecord, offset: UInt64, position: Int, progress: inout [Progress]
    ) {
        endOffset = offset + 1
        records += 1
        let isFrame = record.tag < RecordTag.metric
        if isFrame { frames += 1 }
        arrivalFirst = min(arrivalFirst, record.arrivalTime)
        arrivalLast = max(arrivalLast, record.arrivalTime)
        guard record.session > 0, Int(record.session) <= parts.count else { return }
        let place = Int(record.session) - 1
        note(record, isFrame: isFrame, offset: offset, part: &parts[place])
        while progress.count <= place { progress.append(Progress()) }
        progress[place].records += 1
        guard
            record.tag == RecordTag.snapshot || progress[place].records >= Self.markRecords
                || position - progress[place].position >= Self.markBytes
        else { return }
        progress[place] = Progress(records: 0, position: position)
        marks.append(
            Mark(
                position: UInt32(position), number: record.session, tag: record.tag,
                offset: offset, deviceTime: record.deviceTime))
    }

    private func note(
        _ record: RawRecord, isFrame: Bool, offset: UInt64, part: inout Part
    ) {
        if part.records == 0 { part.firstOffset = offset }
        part.lastOffset = offset
        part.records += 1
        part.arrivalFirst = min(part.arrivalFirst, record.arrivalTime)
        part.arrivalLast = max(part.arrivalLast, record.arrivalTime)
        guard isFrame else { return }
        part.frames += 1
        part.highestSequence = max(part.highestSequence, record.sequence)
        part.deviceFirst = min(part.deviceFirst, record.deviceTime)
        part.deviceLast = max(part.deviceLast, record.deviceTime)
    }

    /// Progress of a session since its last mark.
    struct Progress: Hashable, Sendable {
        // A session's first record gets a mark: reading of the session starts there.
        var records = SegmentIndex.markRecords
        var position = 0
    }
}

/// A record's header as stored on disk, with unresolved numbers.
struct RawRecord: Hashable, Sendable {
    var tag: UInt8
    var session: UInt16
    /// The record's offset is its arrival time; else one more than the last record's.
    var isTimed = false
    var arrivalTime: Int64
    var sequence: UInt32
    var deviceTime: Int64
    var payloadBytes: Int

    var bytes: Int { SegmentFormat.recordHeaderBytes + payloadBytes }
}
