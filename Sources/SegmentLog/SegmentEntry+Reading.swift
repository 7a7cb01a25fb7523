import SensorModel

extension SegmentEntry {
    /// Makes the index of a segment without one, as far as whole records go.
    ///
    /// - Parameters:
    ///   - file: The segment's.
    ///   - limit: Nothing from this position on is looked at.
    ///   - endOffset: Records from here on are in a later segment.
    /// - Returns: The position up to which an anchor says that the file was on disk once.
    /// - Throws: ``DiskError``
    @discardableResult
    mutating func indexByReading(
        _ file: LenientFile, until limit: Int, before endOffset: UInt64 = .max
    ) throws(DiskError) -> Int {
        guard let header else { return 0 }
        var walk = SegmentWalk(file: file, header: header, end: limit)
        var builder = SegmentIndexBuilder(firstOffset: header.firstOffset)
        reading: while true {
            recordsEnd = walk.position
            switch try walk.next() {
            case .record(let record, let offset):
                guard offset < endOffset else { break reading }
                guard let owner = walk.owner(of: record.session) else { continue }
                builder.note(record, offset: offset, position: recordsEnd, owner: owner)
            case .hole(let gap):
                builder.index.endOffset = gap.to.rawValue
            case .damaged:
                let place = walk.position
                let isUnreadable = file.unreadableRanges.contains { $0.upperBound > place }
                let wasDurable = isUnreadable ? true : try walk.wasDurable()
                guard wasDurable, let gap = try walk.resume(endOffset: nil) else { break reading }
                builder.index.endOffset = gap.to.rawValue
            case .end:
                break reading
            }
        }
        index = builder.index
        return walk.durableBytes
    }
}
