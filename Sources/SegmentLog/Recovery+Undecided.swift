/// Segments that are set aside: kept, reported, and not read.
extension Recovery {
    /// Sets unsealed segments before an unreadable one aside. The end of their records depends on
    /// the records after them, and a cut could lose records silently.
    static func putAsideUndecided(_ entries: inout [SegmentEntry]) {
        let unreadable = entries.lastIndex { $0.isPutAside } ?? entries.startIndex
        for index in entries[..<unreadable].indices
        where entries[index].header != nil && !entries[index].isSealed {
            entries[index].putAside(.undecided)
        }
    }

    /// Whether a start gave out `offset` though the segment has records from there on: it could not
    /// read the segment, and its clock was hours behind that of the segment. A takeover begins where
    /// durability ended, which is no multiple of what starts use, or has no durable record before.
    static func wasUnknown(
        _ entry: SegmentEntry, _ header: SegmentHeader, toStartAt offset: UInt64,
        on disk: any Disk
    ) throws(DiskError) -> Bool {
        guard offset < .max, offset >= timedOffsetMin, offset.isMultiple(of: offsetJumpLeast),
            offset != header.firstOffset
        else { return false }
        var walk = SegmentWalk(
            file: try disk.open(entry.name, .read), header: header, end: entry.recordsEnd)
        while case .record(_, let found) = try walk.next() {
            if found >= offset { return true }
        }
        return false
    }

    /// The segment's numbers are others' by now, so its records are kept for a person to decide.
    mutating func putAsideUnknown(_ entry: SegmentEntry) {
        var aside = entry
        aside.putAside(.undecided)
        report.damaged += aside.damage.suffix(1)
        entries.append(aside)
    }
}
