/// The index of a sealed segment, from its file.
extension SegmentEntry {
    /// Bytes read at once of an index without its marks: enough for 43 sessions.
    private static let indexHeadBytes = 4096

    /// Loads the index. Without a whole index the entry stays unsealed.
    mutating func loadIndex(
        from file: any DiskFile, isWithMarks: Bool = true
    ) throws(DiskError) {
        guard let header else { return }
        let least =
            SegmentFormat.recordsStart + SegmentFormat.recordHeaderBytes
            + SegmentFormat.trailerBytes
        guard bytes >= least else { return }
        let trailerPosition = bytes - SegmentFormat.trailerBytes
        let trailerBytes = try file.readUp(to: SegmentFormat.trailerBytes, at: trailerPosition)
        guard let trailer = SegmentTrailer(decoding: trailerBytes.span),
            trailer.indexPosition >= SegmentFormat.recordsStart,
            trailer.indexPosition < trailerPosition
        else { return }
        let place = trailer.indexPosition..<trailerPosition
        var found = isWithMarks ? nil : try Self.indexHead(at: place, of: header, in: file)
        if found == nil { found = try Self.index(at: place, of: header, in: file) }
        guard let index = found, index.firstOffset == header.firstOffset else { return }
        self.index = index
        recordsEnd = place.lowerBound
        isSealed = true
    }

    private static func index(
        at place: Range<Int>, of header: SegmentHeader, in file: any DiskFile
    ) throws(DiskError) -> SegmentIndex? {
        let record = try file.readUp(to: place.count, at: place.lowerBound)
        guard
            let raw = RawRecord.decode(
                record.span, at: 0, position: place.lowerBound, arrivalBase: header.arrivalBase,
                seed: header.seed),
            raw.tag == RecordTag.index, raw.bytes == record.count
        else { return nil }
        return SegmentIndex(
            decoding: record.span.extracting(droppingFirst: SegmentFormat.recordHeaderBytes))
    }

    /// The index without its marks, verified by its own checksum; `nil`: there is none, or it does
    /// not match.
    private static func indexHead(
        at place: Range<Int>, of header: SegmentHeader, in file: any DiskFile
    ) throws(DiskError) -> SegmentIndex? {
        let fixed = SegmentFormat.recordHeaderBytes
        var record = try file.readUp(
            to: min(place.count, Self.indexHeadBytes), at: place.lowerBound)
        guard record.count >= fixed, record[7] == RecordTag.index,
            let end = SegmentIndex.headBytes(of: record.span.extracting(droppingFirst: fixed))
        else { return nil }
        let length = Int(LittleEndian.load(UInt32.self, from: record.span, at: 4) & 0xFF_FFFF)
        guard fixed + length == place.count, end <= length else { return nil }
        if record.count < fixed + end {
            record = try file.readUp(to: fixed + end, at: place.lowerBound)
        }
        guard record.count >= fixed + end else { return nil }
        let head = record.span.extracting(fixed..<(fixed + end))
        guard
            LittleEndian.load(UInt32.self, from: record.span, at: 15)
                == SegmentIndex.headChecksum(head, of: header, at: place.lowerBound)
        else { return nil }
        return SegmentIndex(decodingHead: head, of: length)
    }
}
