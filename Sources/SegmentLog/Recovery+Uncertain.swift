/// Segments whose seal is in doubt, and segments that are set aside: kept, reported, and not read.
extension Recovery {
    /// Finds seals that may have never reached the disk though they can be read: the newest, and one
    /// at whose end a later segment took over, with a number after that of the successor that a seal
    /// has. Seals in the catalog were synced.
    static func uncertainSeals(
        _ entries: [SegmentEntry], knowing content: CatalogFile.Content
    ) -> Set<UInt64> {
        var numbers = Set(
            entries.compactMap { entry in
                entry.header.flatMap { $0.previous + 1 < entry.number ? $0.previous : nil }
            })
        if let last = entries.last { numbers.insert(last.number) }
        return numbers.filter { content.entries[$0] == nil }
    }

    /// The segments that decide where the records of earlier ones end: not those that starts left
    /// without a record at the end. Such a start may have been unable to read what was there, and
    /// begun at an offset that an earlier segment has.
    static func deciding(
        _ entries: [SegmentEntry], on disk: any Disk
    ) -> ArraySlice<SegmentEntry> {
        entries[
            ..<(entries.lastIndex { !isStartWithoutRecord($0, on: disk) }.map { $0 + 1 } ?? 0)]
    }

    private static func isStartWithoutRecord(_ entry: SegmentEntry, on disk: any Disk) -> Bool {
        guard let header = entry.header, !entry.isSealed, header.firstOffset >= timedOffsetMin,
            header.firstOffset.isMultiple(of: offsetJumpLeast)
        else { return false }
        return (try? isFollowed(by: [entry], on: disk)) == false
    }

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
