import SensorModel

/// The index of a segment that is read, not written: sessions get the numbers the file gives them.
struct SegmentIndexBuilder {
    var index: SegmentIndex
    private var progress: [SegmentIndex.Progress] = []

    init(firstOffset: UInt64) {
        index = SegmentIndex(firstOffset: firstOffset)
    }

    mutating func note(
        _ record: RawRecord, offset: UInt64, position: Int, owner: SegmentWalk.SessionOwner
    ) {
        // Numbers are given in order; where damage took an introduction, nobody's part stands in.
        while index.parts.count < Int(record.session) {
            index.parts.append(.unknown)
        }
        index.parts[Int(record.session) - 1].session = owner.session
        index.parts[Int(record.session) - 1].device = owner.device
        index.note(record, offset: offset, position: position, progress: &progress)
    }
}
