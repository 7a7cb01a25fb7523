import SensorModel

/// A segment while records are appended to it: turns records into bytes and keeps the index.
///
/// Pure: the bytes go into a ``ChunkLine``, somebody else writes them.
struct SegmentDraft: Sendable {
    /// A mark that belongs to no session every so often, for readers that know only an offset.
    private static let placeSpacingBytes = 64 << 10

    let header: SegmentHeader
    let seed: Checksum
    var index: SegmentIndex
    /// Where the next record goes.
    private(set) var position = SegmentFormat.recordsStart
    /// The offset that the next record has at least.
    private(set) var offset: UInt64
    /// Bytes of this segment known to be on disk, for anchors to say.
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

    /// Whether a record can go here and the segment, sealed, stay within `bytesMax`.
    func fits(payloadBytes: Int, arrivalTime: Int64, bytesMax: Int) -> Bool {
        // Also of the first record: the segment may have been made long before it.
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

    /// With an introduction and an anchor before it, and what they add to the index.
    static func bytesAtMost(payloadBytes: Int) -> Int {
        3 * SegmentFormat.recordHeaderBytes + payloadBytes + SegmentFormat.introductionBytes
            + SegmentFormat.anchorBytes + 256
    }

    /// The offset of a record that comes now.
    func offset(arrivalTime: Int64) -> UInt64 {
        guard arrivalTime <= SegmentFormat.timedOffsetMax else { return offset }
        return max(offset, UInt64(clamping: arrivalTime))
    }

    /// Appends `record`, whose session number is still to be given; `device` is wanted where this is
    /// the session's first in the segment. `recordOffset` is the next offset, or the arrival time where
    /// that is above.
    mutating func append(
        _ record: RawRecord, at recordOffset: UInt64, of session: SessionID, device: DeviceID?,
        payload: Span<UInt8>, to line: inout ChunkLine
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
            number(of: session)
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

    /// Leaves out the offsets up to `next`, and says why.
    mutating func skip(to next: UInt64, reason: LogGap.Reason, to line: inout ChunkLine) {
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

    /// What is written at the end to seal the segment.
    func seal() -> Chunk { index.seal(of: header, at: position) }

    func isIntroduced(_ session: SessionID) -> Bool {
        latest?.session == session || numbers[session] != nil
    }

    private mutating func number(of session: SessionID) -> UInt16? {
        if let latest, latest.session == session { return latest.number }
        guard let number = numbers[session] else { return nil }
        latest = (session, number)
        return number
    }

    private mutating func introduce(
        _ session: SessionID, device: DeviceID?, arrivalTime: Int64, to line: inout ChunkLine
    ) -> UInt16 {
        guard let device else {
            preconditionFailure("a record of a session without a session record")
        }
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

    private mutating func anchor(arrivalTime: Int64, to line: inout ChunkLine) {
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
        to line: inout ChunkLine
    ) {
        let record = RawRecord(
            tag: tag, session: session, arrivalTime: arrivalTime, sequence: 0, deviceTime: 0,
            payloadBytes: payload.count)
        store(record, payload: payload, to: &line)
    }

    private mutating func store(
        _ record: RawRecord, payload: Span<UInt8>, to line: inout ChunkLine
    ) {
        line.current.store(record, payload: payload, arrivalBase: header.arrivalBase, seed: seed)
        position += record.bytes
    }
}
