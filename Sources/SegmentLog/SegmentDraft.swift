import SensorModel

/// A segment to which records are appended: encodes records and keeps the index.
///
/// Pure: the bytes go into a ``ChunkQueue``, which other code writes.
struct SegmentDraft: Sendable {
    /// Distance of marks that belong to no session, for readers that know only an offset.
    private static let placeSpacingBytes = 64 << 10

    let header: SegmentHeader
    let seed: Checksum
    var index: SegmentIndex
    /// Position of the next record.
    private(set) var position = SegmentFormat.recordsStart
    /// Lower bound of the next record's offset.
    private(set) var offset: UInt64
    /// Bytes of this segment known to be on disk, written into anchors.
    var durableBytes = SegmentFormat.recordsStart

    private var numbers: [SessionID: UInt16] = [:]
    private var progress: [SegmentIndex.Progress] = []
    private var latest: (session: SessionID, number: UInt16)?
    private var anchorPosition = SegmentFormat.recordsStart
    private var placePosition = 0

    init(header: SegmentHeader) {
        self.header = header
        seed = header.seed
        offset = header.firstOffset
        index = SegmentIndex(firstOffset: header.firstOffset)
    }

    /// Whether a record fits here so that the sealed segment stays within `bytesMax`.
    func fits(payloadBytes: Int, arrivalTime: Int64, bytesMax: Int) -> Bool {
        // This applies to the first record too: the segment may have been made long before it.
        guard SegmentFormat.arrivalRange.contains(arrivalTime &- header.arrivalBase) else {
            return false
        }
        guard index.records > 0 else { return true }
        let needed =
            Self.bytesAtMost(payloadBytes: payloadBytes) + index.encodedBytes
            + SegmentFormat.recordHeaderBytes + SegmentFormat.trailerBytes
        return position + needed <= bytesMax
            && index.parts.count < SegmentFormat.sessionsMax
    }

    /// Upper bound of a record's bytes, including an introduction, an anchor and their index
    /// entries.
    static func bytesAtMost(payloadBytes: Int) -> Int {
        3 * SegmentFormat.recordHeaderBytes + payloadBytes + SegmentFormat.introductionBytes
            + SegmentFormat.anchorBytes + 256
    }

    /// The offset of a record that is appended now.
    func offset(arrivalTime: Int64) -> UInt64 {
        guard arrivalTime <= SegmentFormat.timedOffsetMax else { return offset }
        return max(offset, UInt64(clamping: arrivalTime))
    }

    /// Appends `record`, whose session number is still to be assigned. `recordOffset` is the next
    /// offset, or the arrival time if that is greater.
    mutating func append(
        _ record: RawRecord, at recordOffset: UInt64, of session: SessionID, device: DeviceID,
        payload: Span<UInt8>, to line: inout ChunkQueue
    ) {
        assert(
            recordOffset == offset
                || recordOffset > offset && Int64(recordOffset) == record.arrivalTime)
        line.makeRoom(for: Self.bytesAtMost(payloadBytes: payload.count))
        if position - anchorPosition >= SegmentFormat.anchorSpacingBytes {
            anchor(arrivalTime: record.arrivalTime, to: &line)
        }
        var record = record
        record.session =
            latestNumber(of: session)
            ?? introduce(session, device: device, arrivalTime: record.arrivalTime, to: &line)
        record.isTimed = recordOffset > offset
        offset = recordOffset
        if position - placePosition >= Self.placeSpacingBytes { markPlace() }
        index.note(record, offset: offset, position: position, progress: &progress)
        offset += 1
        store(record, payload: payload, to: &line)
        line.current.endOffset = offset
        line.current.records += 1
    }

    /// Skips the offsets up to `next`, and records the reason.
    mutating func skip(to next: UInt64, reason: LogGap.Reason, to line: inout ChunkQueue) {
        guard next > offset else { return }
        line.makeRoom(for: Self.bytesAtMost(payloadBytes: SegmentFormat.holeBytes))
        var payload = [UInt8](repeating: 0, count: SegmentFormat.holeBytes)
        var span = payload.mutableSpan
        LittleEndian.store(next, in: &span, at: 0)
        LittleEndian.store(reason.rawValue, in: &span, at: 8)
        internalRecord(
            RecordTag.hole, session: 0, arrivalTime: header.arrivalBase, payload: payload.span,
            to: &line)
        offset = next
        index.endOffset = next
        line.current.endOffset = next
    }

    /// The bytes that seal the segment at its end.
    func seal() -> Chunk { index.seal(of: header, at: position) }

    /// The session's number in this segment: the index of its part plus 1.
    func number(of session: SessionID) -> UInt16? {
        if let latest, latest.session == session { return latest.number }
        return numbers[session]
    }

    private mutating func latestNumber(of session: SessionID) -> UInt16? {
        guard let number = number(of: session) else { return nil }
        latest = (session, number)
        return number
    }

    private mutating func introduce(
        _ session: SessionID, device: DeviceID, arrivalTime: Int64, to line: inout ChunkQueue
    ) -> UInt16 {
        let number = UInt16(index.parts.count + 1)
        var payload = [UInt8](repeating: 0, count: SegmentFormat.introductionBytes)
        var span = payload.mutableSpan
        session.encode(into: &span, at: 0)
        LittleEndian.store(device.rawValue, in: &span, at: 16)
        internalRecord(
            RecordTag.introduction, session: number, arrivalTime: arrivalTime,
            payload: payload.span, to: &line)
        index.parts.append(
            SegmentIndex.Part(
                session: session, device: device, firstOffset: offset, lastOffset: offset))
        numbers[session] = number
        latest = (session, number)
        return number
    }

    private mutating func anchor(arrivalTime: Int64, to line: inout ChunkQueue) {
        var payload = [UInt8](repeating: 0, count: SegmentFormat.anchorBytes)
        var span = payload.mutableSpan
        LittleEndian.store(offset, in: &span, at: 0)
        LittleEndian.store(UInt64(durableBytes), in: &span, at: 8)
        internalRecord(
            RecordTag.anchor, session: 0, arrivalTime: arrivalTime, payload: payload.span,
            to: &line)
        anchorPosition = position
    }

    private mutating func markPlace() {
        placePosition = position
        index.marks.append(
            SegmentIndex.Mark(
                position: UInt32(position), number: 0, tag: 0, offset: offset, deviceTime: 0))
    }

    private mutating func internalRecord(
        _ tag: UInt8, session: UInt16, arrivalTime: Int64, payload: Span<UInt8>,
        to line: inout ChunkQueue
    ) {
        let record = RawRecord(
            tag: tag, session: session, arrivalTime: arrivalTime, sequence: 0, deviceTime: 0,
            payloadBytes: payload.count)
        store(record, payload: payload, to: &line)
    }

    private mutating func store(
        _ record: RawRecord, payload: Span<UInt8>, to line: inout ChunkQueue
    ) {
        line.current.store(record, payload: payload, arrivalBase: header.arrivalBase, seed: seed)
        position += record.bytes
    }
}
