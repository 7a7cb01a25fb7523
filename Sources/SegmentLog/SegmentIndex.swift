import SensorModel

/// What a segment holds, so that nobody has to read it to know: kept while it is written, stored
/// at its end when it is sealed.
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
        /// That its session took in this segment until it was erased in place.
        var erasedBytes: UInt32 = 0
        /// Of frames; the first above the last where there is none.
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
        /// The session's number in this segment; 0: a place that is nobody's, for any reader.
        var number: UInt16
        var tag: UInt8
        var offset: UInt64
        var deviceTime: Int64
    }

    /// A session's records between two of its marks, and bytes between them: what a seek reads.
    static let markRecords = 512
    static let markBytes = 4 << 20

    var firstOffset: UInt64
    /// The first offset after the segment.
    var endOffset: UInt64
    var records: UInt64 = 0
    var frames: UInt64 = 0
    var arrivalFirst = Int64.max
    var arrivalLast = Int64.min
    /// A session's number is its place here plus 1.
    var parts: [Part] = []
    var marks: [Mark] = []

    init(firstOffset: UInt64) {
        self.firstOffset = firstOffset
        endOffset = firstOffset
    }

    /// Takes note of a record at `position`.
    ///
    /// - Returns: Whether it deserves a mark, by what its session has had since the last.
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

    /// What a session has had since its last mark.
    struct Progress: Hashable, Sendable {
        // The first record of a session gets a mark: it is where reading the session starts.
        var records = SegmentIndex.markRecords
        var position = 0
    }
}

/// A record's header as it lies on disk, numbers not yet resolved.
struct RawRecord: Hashable, Sendable {
    var tag: UInt8
    var session: UInt16
    /// Its offset is its arrival time; else one more than the last record's.
    var isTimed = false
    var arrivalTime: Int64
    var sequence: UInt32
    var deviceTime: Int64
    var payloadBytes: Int

    var bytes: Int { SegmentFormat.recordHeaderBytes + payloadBytes }
}
