import SensorModel

/// The changes that erase sessions in place in a sealed segment. Their introductions and records
/// become erased bytes, and their parts of the index are cleared.
struct ErasurePlan {
    /// Maximum length of a record of erased bytes, because a reader loads a record as a whole.
    private static let runBytesMax = 1 << 20

    let intent: ErasureIntent
    /// The segment after the erasure.
    let entry: SegmentEntry
    /// Bytes overwritten, without the index.
    let bytes: Int

    /// `nil` if the segment must be rewritten instead: it is open, damaged places may belong to the
    /// sessions, or the records lie in too many places.
    ///
    /// - Parameters:
    ///   - entry: The segment.
    ///   - sessions: The sessions to erase.
    ///   - file: The segment's file.
    /// - Throws: ``DiskError``
    init?(
        of entry: SegmentEntry, without sessions: Set<SessionID>, in file: any DiskFile
    ) throws(DiskError) {
        guard let header = entry.header, entry.isSealed, entry.damage.isEmpty else { return nil }
        var known = entry
        known.isSealed = false
        try known.loadIndex(from: file)
        guard known.isSealed, known.recordsEnd == entry.recordsEnd,
            known.index.records == entry.index.records
        else { return nil }
        var runs = Runs(sessions, of: known.index)
        guard try runs.find(in: file, header: header, end: known.recordsEnd) else { return nil }
        let index = known.index.without(runs)
        let end = try file.readUp(
            to: known.bytes - known.recordsEnd, at: known.recordsEnd)
        guard
            let trailer = SegmentTrailer(
                decoding: end.span.extracting(last: SegmentFormat.trailerBytes))
        else { return nil }
        let seal = index.seal(
            of: header, at: known.recordsEnd, erasures: trailer.erasures &+ 1)
        guard seal.count == end.count else { return nil }
        let changes =
            runs.found.map { $0.change(header) }
            + ErasureIntent.changes(from: end, to: seal.bytes, at: known.recordsEnd)
        guard changes.count <= ErasureIntent.changesMax else { return nil }
        intent = ErasureIntent(header: header, changes: changes)
        bytes = runs.found.reduce(0) { $0 + $1.range.count }
        known.index = index
        known.dropMarks()
        self.entry = known
    }

    /// Adjacent records to erase.
    struct Run {
        var range: Range<Int>
        /// Lower bound of the next record's offset.
        var next: UInt64

        fileprivate func change(_ header: SegmentHeader) -> ErasureIntent.Change {
            let payload = [UInt8](
                repeating: 0, count: range.count - SegmentFormat.recordHeaderBytes)
            let record = RawRecord(
                tag: RecordTag.erased, session: 0, arrivalTime: header.arrivalBase, sequence: 0,
                deviceTime: Int64(next), payloadBytes: payload.count)
            var chunk = Chunk(
                bytes: [UInt8](repeating: 0, count: range.count), header: header,
                position: range.lowerBound, firstOffset: next)
            chunk.store(
                record, payload: payload.span, arrivalBase: header.arrivalBase, seed: header.seed)
            return ErasureIntent.Change(
                position: range.lowerBound, bytes: range.count,
                content: Array(chunk.bytes.prefix(SegmentFormat.recordHeaderBytes)))
        }
    }

    /// The records of some sessions in a segment.
    struct Runs {
        /// Ascending and disjoint.
        private(set) var found: [Run] = []
        /// Number of bytes to erase, by the session's number in the segment.
        private(set) var bytes: [UInt16: Int] = [:]
        private let index: SegmentIndex
        private var recordsLeft: UInt64 = 0
        private var lastOffset: UInt64 = 0

        fileprivate init(_ sessions: Set<SessionID>, of index: SegmentIndex) {
            self.index = index
            for (place, part) in index.parts.enumerated()
            where part.records > 0 && sessions.contains(part.session) {
                bytes[UInt16(place + 1)] = 0
                recordsLeft += part.records
                lastOffset = max(lastOffset, part.lastOffset)
            }
        }

        /// A place before all records to erase; `nil` means the segment's first record.
        private var start: (position: Int, offset: UInt64)? {
            // A session's first record has a mark, and its introduction lies right before it.
            guard let first = index.marks.first(where: { bytes[$0.number] != nil }) else {
                return nil
            }
            return index.marks.last { $0.number == 0 && $0.position < first.position }
                .map { (Int($0.position), $0.offset) }
        }

        /// - Returns: Whether all records were found without damage among them.
        fileprivate mutating func find(
            in file: any DiskFile, header: SegmentHeader, end: Int
        ) throws(DiskError) -> Bool {
            var walk = SegmentWalk(
                file: file, header: header, end: end, parts: index.parts, start: start)
            while recordsLeft > 0, walk.offset <= lastOffset, found.count < ErasureIntent.changesMax
            {
                switch try walk.next() {
                case .record(let record, let offset):
                    guard let known = bytes[record.session] else { continue }
                    guard offset < SegmentFormat.numberMax else { return false }
                    var range = (walk.position - record.bytes)..<walk.position
                    if known == 0 {
                        let introduction =
                            SegmentFormat.recordHeaderBytes
                            + SegmentFormat.introductionBytes
                        let start = range.lowerBound - introduction
                        guard walk.owner(of: record.session)?.introduction == start else {
                            return false
                        }
                        range = start..<range.upperBound
                    }
                    bytes[record.session] = known + range.count
                    recordsLeft -= 1
                    note(range, next: offset + 1)
                case .hole: continue
                case .damaged, .end: return false
                }
            }
            return recordsLeft == 0
        }

        private mutating func note(_ range: Range<Int>, next: UInt64) {
            if let last = found.last, last.range.upperBound == range.lowerBound,
                last.range.count + range.count <= ErasurePlan.runBytesMax
            {
                found[found.count - 1] = Run(
                    range: last.range.lowerBound..<range.upperBound, next: next)
            } else {
                found.append(Run(range: range, next: next))
            }
        }
    }
}

extension SegmentIndex {
    /// Clears the sessions in the index. Its encoded length stays the same: an erased mark becomes
    /// a copy of the place of the mark before it.
    fileprivate func without(_ runs: ErasurePlan.Runs) -> SegmentIndex {
        var index = self
        for (number, bytes) in runs.bytes {
            index.parts[Int(number) - 1] = .unknown
            index.parts[Int(number) - 1].erasedBytes = UInt32(bytes)
        }
        (index.records, index.frames) = (0, 0)
        (index.arrivalFirst, index.arrivalLast) = (.max, .min)
        for part in index.parts where part.records > 0 {
            index.records += part.records
            index.frames += part.frames
            index.arrivalFirst = min(index.arrivalFirst, part.arrivalFirst)
            index.arrivalLast = max(index.arrivalLast, part.arrivalLast)
        }
        var place = Mark(
            position: UInt32(SegmentFormat.recordsStart), number: 0, tag: 0, offset: firstOffset,
            deviceTime: 0)
        var run = 0
        for (number, mark) in marks.enumerated() {
            while run < runs.found.count, runs.found[run].range.upperBound <= mark.position {
                run += 1
            }
            let isErased =
                run < runs.found.count && runs.found[run].range.contains(Int(mark.position))
            if isErased {
                index.marks[number] = place
            } else {
                (place.position, place.offset) = (mark.position, mark.offset)
            }
        }
        return index
    }
}
