import SensorModel

/// Consecutive bytes of one segment on their way to the disk.
struct Chunk: Sendable {
    /// Limit of a chunk's memory, unless a single record is larger.
    static let capacityMax = 1 << 20

    var bytes: [UInt8]
    /// Bytes filled.
    var count = 0
    /// Records with an offset in the chunk.
    var records = 0
    /// Header of the segment that the bytes belong to.
    let header: SegmentHeader
    /// Position of the first byte in the file.
    let position: Int
    /// Offset of the first record.
    let firstOffset: UInt64
    /// The first offset after the chunk's records.
    var endOffset: UInt64

    init(bytes: [UInt8], header: SegmentHeader, position: Int, firstOffset: UInt64) {
        self.bytes = bytes
        self.header = header
        self.position = position
        self.firstOffset = firstOffset
        endOffset = firstOffset
    }

    var endPosition: Int { position + count }

    var room: Int { bytes.count - count }

    /// Appends a record and its checksum. The caller has checked that it fits.
    mutating func store(
        _ record: RawRecord, payload: Span<UInt8>, arrivalBase: Int64, seed: Checksum
    ) {
        let start = count
        let length = record.bytes
        count += length
        var checksum = seed
        checksum.feed(UInt64(position + start))
        var span = bytes.mutableSpan
        LittleEndian.store(
            UInt32(truncatingIfNeeded: record.payloadBytes) | UInt32(record.tag) << 24, in: &span,
            at: start + 4)
        let arrival = record.arrivalTime &- arrivalBase
        LittleEndian.store(
            UInt64(record.session | (record.isTimed ? SegmentFormat.timedBit : 0))
                | UInt64(bitPattern: arrival) << 16, in: &span, at: start + 8)
        LittleEndian.store(record.sequence, in: &span, at: start + 15)
        LittleEndian.store(record.deviceTime, in: &span, at: start + 19)
        LittleEndian.copy(payload, into: &span, at: start + SegmentFormat.recordHeaderBytes)
        checksum.feed(span.span.extracting((start + 4)..<(start + length)))
        LittleEndian.store(checksum.final, in: &span, at: start)
    }
}

extension RawRecord {
    /// Decodes the record at `start`. Returns `nil` unless a whole record begins there that was
    /// written at `position` of the segment with `seed`.
    static func decode(
        _ bytes: Span<UInt8>, at start: Int, position: Int, arrivalBase: Int64, seed: Checksum
    ) -> RawRecord? {
        let left = bytes.count - start
        guard left >= SegmentFormat.recordHeaderBytes else { return nil }
        let word = LittleEndian.load(UInt32.self, from: bytes, at: start + 4)
        let payloadBytes = Int(word & 0xFF_FFFF)
        let tag = UInt8(truncatingIfNeeded: word >> 24)
        let length = SegmentFormat.recordHeaderBytes + payloadBytes
        guard length <= left, RecordTag.isKnown(tag) else { return nil }
        var checksum = seed
        checksum.feed(UInt64(position))
        checksum.feed(bytes.extracting((start + 4)..<(start + length)))
        guard checksum.final == LittleEndian.load(UInt32.self, from: bytes, at: start) else {
            return nil
        }
        let mixed = LittleEndian.load(UInt64.self, from: bytes, at: start + 8)
        let deviceTime = LittleEndian.load(Int64.self, from: bytes, at: start + 19)
        guard SegmentFormat.timeRange.contains(deviceTime) else { return nil }
        // 40 bits with their sign: the top byte of the word belongs to the sequence.
        let arrival = Int64(bitPattern: mixed << 8) >> 24
        let session = UInt16(truncatingIfNeeded: mixed)
        return RawRecord(
            tag: tag, session: session & ~SegmentFormat.timedBit,
            isTimed: session & SegmentFormat.timedBit != 0, arrivalTime: arrivalBase &+ arrival,
            sequence: LittleEndian.load(UInt32.self, from: bytes, at: start + 15),
            deviceTime: deviceTime, payloadBytes: payloadBytes)
    }
}
