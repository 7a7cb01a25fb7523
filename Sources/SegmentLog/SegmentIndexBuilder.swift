import SensorModel

/// Builds the index of a segment by reading it. Sessions keep their numbers in the file.
struct SegmentIndexBuilder {
    var index: SegmentIndex
    private var progress: [SegmentIndex.Progress] = []

    init(firstOffset: UInt64) {
        index = SegmentIndex(firstOffset: firstOffset)
    }

    mutating func note(
        _ record: RawRecord, offset: UInt64, position: Int, owner: SegmentWalk.SessionOwner
    ) {
        // Numbers are assigned in order; a lost introduction is replaced by an unknown part.
        while index.parts.count < Int(record.session) {
            index.parts.append(.unknown)
        }
        index.parts[Int(record.session) - 1].session = owner.session
        index.parts[Int(record.session) - 1].device = owner.device
        index.note(record, offset: offset, position: position, progress: &progress)
    }
}
