import SensorModel

extension SegmentIndex.Part {
    var isPlausible: Bool {
        guard [records, frames, lastOffset].allSatisfy({ $0 <= SegmentFormat.numberMax }),
            firstOffset <= lastOffset
        else { return false }
        let arrivals = records == 0 || SegmentIndex.isRange(arrivalFirst, arrivalLast)
        return arrivals && (frames == 0 || SegmentIndex.isRange(deviceFirst, deviceLast))
    }
}

extension SegmentIndex.Part {
    func encode(into bytes: inout MutableSpan<UInt8>, at position: Int) {
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

    init(decoding bytes: Span<UInt8>, at position: Int) {
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
    func isPlausible(parts: Int) -> Bool {
        Int(number) <= parts && offset <= SegmentFormat.numberMax
            && SegmentFormat.timeRange.contains(deviceTime)
    }

    func encode(into bytes: inout MutableSpan<UInt8>, at start: Int) {
        LittleEndian.store(position, in: &bytes, at: start)
        LittleEndian.store(number, in: &bytes, at: start + 4)
        LittleEndian.store(tag, in: &bytes, at: start + 6)
        LittleEndian.store(offset, in: &bytes, at: start + 8)
        LittleEndian.store(deviceTime, in: &bytes, at: start + 16)
    }

    init(decoding bytes: Span<UInt8>, at start: Int) {
        position = LittleEndian.load(UInt32.self, from: bytes, at: start)
        number = LittleEndian.load(UInt16.self, from: bytes, at: start + 4)
        tag = LittleEndian.load(UInt8.self, from: bytes, at: start + 6)
        offset = LittleEndian.load(UInt64.self, from: bytes, at: start + 8)
        deviceTime = LittleEndian.load(Int64.self, from: bytes, at: start + 16)
    }
}
