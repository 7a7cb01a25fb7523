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
extension SegmentIndex {
    private static let fixedBytes = 56
    private static let partBytes = 92
    private static let markRecordBytes = 24

    /// Of the payload that ``encoded()`` would make.
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
    ///   - header: The segment's.
    ///   - position: Where the record goes.
    ///   - erasures: How often sessions were erased in place.
    /// - Returns: What is written at `position`.
    func seal(of header: SegmentHeader, at position: Int, erasures: UInt32 = 0) -> Chunk {
        let payload = encoded()
        let record = RawRecord(
            tag: RecordTag.index, session: 0, arrivalTime: header.arrivalBase, sequence: 0,
            deviceTime: 0, payloadBytes: payload.count)
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

    /// Makes nothing of what an encoded index, which begins at `start`, says of `sessions`.
    static func zeroParts(of sessions: Set<SessionID>, in bytes: inout [UInt8], at start: Int) {
        guard bytes.count >= start + fixedBytes else { return }
        let first = start + fixedBytes
        let count = Int(LittleEndian.load(UInt32.self, from: bytes.span, at: start + 48))
        for place in 0..<min(count, (bytes.count - first) / partBytes) {
            let range = (first + place * partBytes)..<(first + (place + 1) * partBytes)
            guard sessions.contains(SessionID(decoding: bytes.span, at: range.lowerBound)) else {
                continue
            }
            bytes.replaceSubrange(range, with: repeatElement(0, count: partBytes))
        }
    }

    /// `nil` where lengths contradict each other.
    init?(decoding bytes: Span<UInt8>) {
        guard bytes.count >= Self.fixedBytes else { return nil }
        let parts = Int(LittleEndian.load(UInt32.self, from: bytes, at: 48))
        let marks = Int(LittleEndian.load(UInt32.self, from: bytes, at: 52))
        let marksStart = Self.fixedBytes + parts * Self.partBytes
        guard bytes.count == marksStart + marks * Self.markRecordBytes else { return nil }
        self.init(firstOffset: LittleEndian.load(UInt64.self, from: bytes, at: 0))
        endOffset = LittleEndian.load(UInt64.self, from: bytes, at: 8)
        records = LittleEndian.load(UInt64.self, from: bytes, at: 16)
        frames = LittleEndian.load(UInt64.self, from: bytes, at: 24)
        arrivalFirst = LittleEndian.load(Int64.self, from: bytes, at: 32)
        arrivalLast = LittleEndian.load(Int64.self, from: bytes, at: 40)
        self.parts.reserveCapacity(parts)
        for index in 0..<parts {
            self.parts.append(Part(decoding: bytes, at: Self.fixedBytes + index * Self.partBytes))
        }
        self.marks.reserveCapacity(marks)
        for index in 0..<marks {
            self.marks.append(Mark(decoding: bytes, at: marksStart + index * Self.markRecordBytes))
        }
        guard self.marks.allSatisfy({ Int($0.number) <= parts }), isPlausible else { return nil }
    }

    /// Numbers and times that sums and ranges can be made of.
    private var isPlausible: Bool {
        let offsets = [firstOffset, endOffset, records, frames] + marks.map(\.offset)
        guard offsets.allSatisfy({ $0 <= SegmentFormat.numberMax }), firstOffset <= endOffset,
            parts.count <= SegmentFormat.sessionsMax,
            marks.allSatisfy({ SegmentFormat.timeRange.contains($0.deviceTime) })
        else { return false }
        return (records == 0 || Self.isRange(arrivalFirst, arrivalLast))
            && parts.allSatisfy(\.isPlausible)
    }

    fileprivate static func isRange(_ first: Int64, _ last: Int64) -> Bool {
        first <= last && SegmentFormat.timeRange.contains(first)
            && SegmentFormat.timeRange.contains(last)
    }
}

extension SegmentIndex.Part {
    fileprivate var isPlausible: Bool {
        guard [records, frames, lastOffset].allSatisfy({ $0 <= SegmentFormat.numberMax }),
            firstOffset <= lastOffset
        else { return false }
        let arrivals = records == 0 || SegmentIndex.isRange(arrivalFirst, arrivalLast)
        return arrivals && (frames == 0 || SegmentIndex.isRange(deviceFirst, deviceLast))
    }
}

extension SegmentIndex.Part {
    fileprivate func encode(into bytes: inout MutableSpan<UInt8>, at position: Int) {
        session.encode(into: &bytes, at: position)
        LittleEndian.store(device.rawValue, in: &bytes, at: position + 16)
        LittleEndian.store(firstOffset, in: &bytes, at: position + 20)
        LittleEndian.store(lastOffset, in: &bytes, at: position + 28)
        LittleEndian.store(records, in: &bytes, at: position + 36)
        LittleEndian.store(frames, in: &bytes, at: position + 44)
        LittleEndian.store(highestSequence, in: &bytes, at: position + 52)
        LittleEndian.store(erasedBytes, in: &bytes, at: position + 56)
        LittleEndian.store(deviceFirst, in: &bytes, at: position + 60)
        LittleEndian.store(deviceLast, in: &bytes, at: position + 68)
        LittleEndian.store(arrivalFirst, in: &bytes, at: position + 76)
        LittleEndian.store(arrivalLast, in: &bytes, at: position + 84)
    }

    fileprivate init(decoding bytes: Span<UInt8>, at position: Int) {
        session = SessionID(decoding: bytes, at: position)
        device = DeviceID(rawValue: LittleEndian.load(UInt32.self, from: bytes, at: position + 16))
        firstOffset = LittleEndian.load(UInt64.self, from: bytes, at: position + 20)
        lastOffset = LittleEndian.load(UInt64.self, from: bytes, at: position + 28)
        records = LittleEndian.load(UInt64.self, from: bytes, at: position + 36)
        frames = LittleEndian.load(UInt64.self, from: bytes, at: position + 44)
        highestSequence = LittleEndian.load(UInt32.self, from: bytes, at: position + 52)
        erasedBytes = LittleEndian.load(UInt32.self, from: bytes, at: position + 56)
        deviceFirst = LittleEndian.load(Int64.self, from: bytes, at: position + 60)
        deviceLast = LittleEndian.load(Int64.self, from: bytes, at: position + 68)
        arrivalFirst = LittleEndian.load(Int64.self, from: bytes, at: position + 76)
        arrivalLast = LittleEndian.load(Int64.self, from: bytes, at: position + 84)
    }
}

extension SegmentIndex.Mark {
    fileprivate func encode(into bytes: inout MutableSpan<UInt8>, at start: Int) {
        LittleEndian.store(position, in: &bytes, at: start)
        LittleEndian.store(number, in: &bytes, at: start + 4)
        LittleEndian.store(tag, in: &bytes, at: start + 6)
        LittleEndian.store(offset, in: &bytes, at: start + 8)
        LittleEndian.store(deviceTime, in: &bytes, at: start + 16)
    }

    fileprivate init(decoding bytes: Span<UInt8>, at start: Int) {
        position = LittleEndian.load(UInt32.self, from: bytes, at: start)
        number = LittleEndian.load(UInt16.self, from: bytes, at: start + 4)
        tag = LittleEndian.load(UInt8.self, from: bytes, at: start + 6)
        offset = LittleEndian.load(UInt64.self, from: bytes, at: start + 8)
        deviceTime = LittleEndian.load(Int64.self, from: bytes, at: start + 16)
    }
}

extension SessionID {
    /// The 16 bytes of the UUID, most significant first, as people read it.
    func encode(into bytes: inout MutableSpan<UInt8>, at position: Int) {
        LittleEndian.store(high.byteSwapped, in: &bytes, at: position)
        LittleEndian.store(low.byteSwapped, in: &bytes, at: position + 8)
    }

    init(decoding bytes: Span<UInt8>, at position: Int) {
        self.init(
            high: LittleEndian.load(UInt64.self, from: bytes, at: position).byteSwapped,
            low: LittleEndian.load(UInt64.self, from: bytes, at: position + 8).byteSwapped)
    }
}
