import SensorModel

/// Visits the records of one segment file in order.
///
///     next() ──► record ──► next() … ──► end
///        └─────► damaged ──► resume() ──► (gap) next() …
///                                   └──► nil: nothing whole follows
struct SegmentWalk {
    enum Step {
        /// The record's payload is `window[payload]`, until the next step.
        case record(RawRecord, offset: UInt64)
        case hole(LogGap)
        /// The bytes at `position` differ from what was written there.
        case damaged
        case end
    }

    private static let windowBytes = 256 << 10

    let header: SegmentHeader
    let seed: Checksum
    /// Bytes from this position on are ignored.
    let end: Int
    /// Position of the next record.
    private(set) var position: Int
    /// Lower bound of the next record's offset.
    private(set) var offset: UInt64
    private(set) var window: [UInt8] = []
    private(set) var payload = 0..<0
    /// Durable bytes according to the last anchor passed.
    private(set) var durableBytes = 0

    private let file: any DiskFile
    private var windowPosition = 0
    /// Sessions whose introduction the walk has passed.
    private var introduced: [UInt16: SessionOwner] = [:]
    /// The others by number. A segment may have 65,535, and a walk be of one short session.
    private let parts: [SegmentIndex.Part]

    struct SessionOwner {
        var session: SessionID
        var device: DeviceID
        /// Position of its introduction, if the walk has passed it.
        var introduction: Int?
    }

    /// `parts` are the sessions by number if an index is known; else introductions name them.
    /// `start` is a place where a record begins.
    init(
        file: any DiskFile, header: SegmentHeader, end: Int, parts: [SegmentIndex.Part] = [],
        start: (position: Int, offset: UInt64)? = nil
    ) {
        self.file = file
        self.header = header
        self.end = end
        seed = header.seed
        position = start?.position ?? SegmentFormat.recordsStart
        offset = start?.offset ?? header.firstOffset
        self.parts = parts
    }

    /// `nil` if damage destroyed the introduction.
    func owner(of number: UInt16) -> SessionOwner? {
        if let owner = introduced[number] { return owner }
        let index = Int(number) - 1
        guard parts.indices.contains(index), parts[index].records > 0 else { return nil }
        return SessionOwner(session: parts[index].session, device: parts[index].device)
    }

    mutating func next() throws(DiskError) -> Step {
        while position < end {
            guard let record = try decode() else { return .damaged }
            let start = position - windowPosition + SegmentFormat.recordHeaderBytes
            payload = start..<(start + record.payloadBytes)
            if RecordTag.isNumbered(record.tag) {
                if record.isTimed {
                    guard let timed = UInt64(exactly: record.arrivalTime), timed >= offset else {
                        return .damaged
                    }
                    offset = timed
                }
                position += record.bytes
                offset += 1
                return .record(record, offset: offset - 1)
            }
            guard let step = pass(record) else { continue }
            return step
        }
        return .end
    }

    /// Continues after damage at the next record whose offset is certain. `endOffset` is the offset
    /// at ``end``, if it is known.
    ///
    /// Returns the offsets that were left out; `nil` if no whole record follows.
    mutating func resume(endOffset: UInt64?) throws(DiskError) -> LogGap? {
        let search = ResumeSearch(walk: self, rest: try rest(), restPosition: position)
        guard let found = search.found(endOffset: endOffset) else { return nil }
        let gap = LogGap(
            from: RecordOffset(rawValue: offset), to: RecordOffset(rawValue: found.offset),
            reason: .damaged)
        position = found.position
        offset = found.offset
        return gap
    }

    /// Whether a later record proves that the damaged place was on disk. If none does, the place is
    /// a tail that a crash tore.
    func wasDurable() throws(DiskError) -> Bool {
        ResumeSearch(walk: self, rest: try rest(), restPosition: position).wasDurable()
    }

    /// Number of bytes from here to the end that are not the zeros of reserved space.
    func bytesUntilZeros() throws(DiskError) -> Int {
        let bytes = try rest()
        return (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    }

    private func rest() throws(DiskError) -> [UInt8] {
        try file.readUp(to: end - position, at: position)
    }

    private mutating func decode() throws(DiskError) -> RawRecord? {
        guard position + SegmentFormat.recordHeaderBytes <= end else { return nil }
        try look(at: SegmentFormat.recordHeaderBytes)
        var start = position - windowPosition
        guard start + SegmentFormat.recordHeaderBytes <= window.count else { return nil }
        let word = LittleEndian.load(UInt32.self, from: window.span, at: start + 4)
        let bytes = SegmentFormat.recordHeaderBytes + Int(word & 0xFF_FFFF)
        guard position + bytes <= end else { return nil }
        try look(at: bytes)
        start = position - windowPosition
        return RawRecord.decode(
            window.span, at: start, position: position, arrivalBase: header.arrivalBase,
            seed: seed)
    }

    /// Loads `bytes` from `position` on into the window, as far as the file has them.
    private mutating func look(at bytes: Int) throws(DiskError) {
        guard position < windowPosition || position + bytes > windowPosition + window.count else {
            return
        }
        let count = min(end - position, max(bytes, Self.windowBytes))
        if window.count != count { window = [UInt8](repeating: 0, count: count) }
        let read = try file.fill(&window, from: 0, at: position)
        window.removeLast(count - read)
        windowPosition = position
    }

    /// - Returns: `nil` to continue with the next record.
    private mutating func pass(_ record: RawRecord) -> Step? {
        // A copy of the few bytes needed: the window is changed below.
        let content = Array(window[payload].prefix(SegmentFormat.introductionBytes))
        let bytes = content.span
        switch record.tag {
        case RecordTag.introduction
        where payload.count == SegmentFormat.introductionBytes && record.session > 0:
            introduced[record.session] = SessionOwner(
                session: SessionID(decoding: bytes, at: 0),
                device: DeviceID(rawValue: LittleEndian.load(UInt32.self, from: bytes, at: 16)),
                introduction: position)
        case RecordTag.anchor where payload.count == SegmentFormat.anchorBytes:
            guard LittleEndian.load(UInt64.self, from: bytes, at: 0) == offset,
                let durable = Int(exactly: LittleEndian.load(UInt64.self, from: bytes, at: 8))
            else { return .damaged }
            durableBytes = durable
        case RecordTag.hole where payload.count == SegmentFormat.holeBytes:
            let next = LittleEndian.load(UInt64.self, from: bytes, at: 0)
            guard let reason = LogGap.Reason(rawValue: bytes[8]), reason != .removed, next > offset,
                next <= SegmentFormat.numberMax
            else {
                return .damaged
            }
            return hole(record, next: next, reason)
        case RecordTag.erased:
            guard let next = UInt64(exactly: record.deviceTime), next > offset else {
                return .damaged
            }
            return hole(record, next: next, .deleted)
        case RecordTag.index:
            return .end
        default:
            return .damaged
        }
        position += record.bytes
        return nil
    }

    private mutating func hole(_ record: RawRecord, next: UInt64, _ reason: LogGap.Reason) -> Step {
        defer {
            position += record.bytes
            offset = next
        }
        return .hole(
            LogGap(
                from: RecordOffset(rawValue: offset), to: RecordOffset(rawValue: next),
                reason: reason))
    }
}
