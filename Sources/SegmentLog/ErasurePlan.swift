import SensorModel

/// The changes that erase sessions in place in a sealed segment. Their introductions and records
/// become erased bytes, and their parts of the index are cleared.
struct ErasurePlan {
    /// Maximum length of a record of erased bytes, because a reader loads a record as a whole.
    static let runBytesMax = 1 << 20

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
