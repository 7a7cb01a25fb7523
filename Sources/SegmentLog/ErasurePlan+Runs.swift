import SensorModel

extension ErasurePlan {
    /// Adjacent records to erase.
    struct Run {
        var range: Range<Int>
        /// Lower bound of the next record's offset.
        var next: UInt64

        func change(_ header: SegmentHeader) -> ErasureIntent.Change {
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

        init(_ sessions: Set<SessionID>, of index: SegmentIndex) {
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
        mutating func find(
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
