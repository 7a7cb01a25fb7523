import SensorModel

/// The payload of the index record:
///
///      0  u64 first offset, u64 end offset, u64 records, u64 frames,
///         i64 first, i64 last arrival time
///     48  u32 sessions, u32 marks
///     56  sessions × 92: UUID (16), u32 device, u64 first, u64 last offset, u64 records,
///         u64 frames, u32 highest sequence, u32 erased bytes, i64 first, i64 last device time of
///         frames, i64 first, i64 last arrival time
///         marks × 24: u32 position, u16 session number, u8 type, 1 spare, u64 offset,
///         i64 device time
///
/// The sequence field of this record holds a CRC-32C, computed like a record's, of everything
/// before the marks, so that a start need not read the marks. 0: the index is of an older format
/// version without it and is read completely.
extension SegmentIndex {
    private static let fixedBytes = 56
    private static let lengthsPosition = 48
    private static let partBytes = 92
    private static let markRecordBytes = 24

    /// Size of the payload that ``encoded()`` makes.
    var encodedBytes: Int {
        Self.fixedBytes + parts.count * Self.partBytes + marks.count * Self.markRecordBytes
    }

    func encoded() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: encodedBytes)
        var span = bytes.mutableSpan
        let numbers = [
            firstOffset, endOffset, records, frames, UInt64(bitPattern: arrivalFirst),
            UInt64(bitPattern: arrivalLast),
        ]
        for (index, number) in numbers.enumerated() {
            LittleEndian.store(number, in: &span, at: index * 8)
        }
        LittleEndian.store(UInt32(parts.count), in: &span, at: 48)
        LittleEndian.store(UInt32(marks.count), in: &span, at: 52)
        var position = Self.fixedBytes
        for part in parts {
            part.encode(into: &span, at: position)
            position += Self.partBytes
        }
        for mark in marks {
            mark.encode(into: &span, at: position)
            position += Self.markRecordBytes
        }
        return bytes
    }

    /// The end of a sealed segment: the record of this index, and the trailer.
    ///
    /// - Parameters:
    ///   - header: The segment's header.
    ///   - position: Position of the index record.
    ///   - erasures: Number of erasures in place.
    /// - Returns: The bytes to write at `position`.
    func seal(of header: SegmentHeader, at position: Int, erasures: UInt32 = 0) -> Chunk {
        let payload = encoded()
        let head = payload.span.extracting(
            first: Self.fixedBytes + parts.count * Self.partBytes)
        let record = RawRecord(
            tag: RecordTag.index, session: 0, arrivalTime: header.arrivalBase,
            sequence: Self.headChecksum(head, of: header, at: position), deviceTime: 0,
            payloadBytes: payload.count)
        var chunk = Chunk(
            bytes: [UInt8](repeating: 0, count: record.bytes + SegmentFormat.trailerBytes),
            header: header, position: position, firstOffset: endOffset)
        chunk.store(
            record, payload: payload.span, arrivalBase: header.arrivalBase, seed: header.seed)
        SegmentTrailer(indexPosition: position, erasures: erasures)
            .encode(into: &chunk.bytes, at: record.bytes)
        chunk.count += SegmentFormat.trailerBytes
        return chunk
    }

    /// Clears an encoded index that begins at `start`. Its lengths and the parts of sessions other
    /// than `sessions` stay. Its range of times goes, because it may be that of `sessions`.
    static func void(_ bytes: inout [UInt8], at start: Int, without sessions: Set<SessionID>) {
        guard bytes.count >= start + fixedBytes else { return }
        bytes.replaceSubrange(
            start..<(start + lengthsPosition), with: repeatElement(0, count: lengthsPosition))
        let first = start + fixedBytes
        let count = Int(
            LittleEndian.load(UInt32.self, from: bytes.span, at: start + lengthsPosition))
        for place in 0..<min(count, (bytes.count - first) / partBytes) {
            let range = (first + place * partBytes)..<(first + (place + 1) * partBytes)
            guard sessions.contains(SessionID(decoding: bytes.span, at: range.lowerBound)) else {
                continue
            }
            bytes.replaceSubrange(range, with: repeatElement(0, count: partBytes))
        }
    }

    /// `nil` if lengths contradict each other.
    init?(decoding bytes: Span<UInt8>) {
        self.init(decodingHead: bytes, of: bytes.count)
        guard let start = Self.headBytes(of: bytes) else { return nil }
        let count = (bytes.count - start) / Self.markRecordBytes
        marks.reserveCapacity(count)
        for place in 0..<count {
            marks.append(Mark(decoding: bytes, at: start + place * Self.markRecordBytes))
        }
        guard marks.allSatisfy({ $0.isPlausible(parts: parts.count) }) else { return nil }
    }

    /// Decodes everything before the marks, which may be most of the index.
    ///
    /// - Parameters:
    ///   - bytes: Bytes of the payload from its beginning, at least up to the marks.
    ///   - payloadBytes: Size of the whole payload.
    init?(decodingHead bytes: Span<UInt8>, of payloadBytes: Int) {
        guard let end = Self.headBytes(of: bytes), bytes.count >= end else { return nil }
        let marks = Int(LittleEndian.load(UInt32.self, from: bytes, at: 52))
        guard payloadBytes == end + marks * Self.markRecordBytes else { return nil }
        self.init(firstOffset: LittleEndian.load(UInt64.self, from: bytes, at: 0))
        endOffset = LittleEndian.load(UInt64.self, from: bytes, at: 8)
        records = LittleEndian.load(UInt64.self, from: bytes, at: 16)
        frames = LittleEndian.load(UInt64.self, from: bytes, at: 24)
        arrivalFirst = LittleEndian.load(Int64.self, from: bytes, at: 32)
        arrivalLast = LittleEndian.load(Int64.self, from: bytes, at: 40)
        let parts = (end - Self.fixedBytes) / Self.partBytes
        self.parts.reserveCapacity(parts)
        for place in 0..<parts {
            self.parts.append(Part(decoding: bytes, at: Self.fixedBytes + place * Self.partBytes))
        }
        guard isPlausible else { return nil }
    }

    /// Position of the marks in a payload that begins with `bytes`; `nil`: unknown.
    static func headBytes(of bytes: Span<UInt8>) -> Int? {
        guard bytes.count >= fixedBytes else { return nil }
        return fixedBytes + Int(LittleEndian.load(UInt32.self, from: bytes, at: 48)) * partBytes
    }

    /// Checksum of everything before the marks, for readers of that part; never 0, which means
    /// none.
    static func headChecksum(
        _ bytes: Span<UInt8>, of header: SegmentHeader, at position: Int
    ) -> UInt32 {
        var checksum = header.seed
        checksum.feed(UInt64(position))
        checksum.feed(bytes)
        return max(1, checksum.final)
    }

    /// Whether numbers and times are small enough for sums and ranges.
    var isPlausible: Bool {
        let numbers = [firstOffset, endOffset, records, frames]
        guard numbers.allSatisfy({ $0 <= SegmentFormat.numberMax }), firstOffset <= endOffset,
            parts.count <= SegmentFormat.sessionsMax
        else { return false }
        return (records == 0 || Self.isRange(arrivalFirst, arrivalLast))
            && parts.allSatisfy(\.isPlausible)
    }

    static func isRange(_ first: Int64, _ last: Int64) -> Bool {
        first <= last && SegmentFormat.timeRange.contains(first)
            && SegmentFormat.timeRange.contains(last)
    }
}
