/// Segments whose seal is in doubt, and segments that are set aside: kept, reported, and not read.
extension Recovery {
    /// Finds seals that can be read but may never have reached the disk.
    ///
    /// They are the newest seal, and a seal after which another segment took over: the number of
    /// that segment skips one. Seals in the catalog were synced.
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

    /// Returns the segments that decide where the records of earlier ones end.
    ///
    /// Segments at the end that starts left without a record do not decide. Such a start may have
    /// been unable to read an earlier segment, and have begun at an offset that this segment has.
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

    /// Whether a start assigned `offset` although the segment has records from there on.
    ///
    /// Such a start could not read the segment, and its clock was hours behind the segment's. A
    /// takeover begins where durability ended. That is no multiple of ``offsetJumpLeast``, or there
    /// is no durable record before it.
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

    /// Sets a segment aside whose offsets other records have by now, for a person to decide.
    mutating func putAsideUnknown(_ entry: SegmentEntry) {
        var aside = entry
        aside.putAside(.undecided)
        report.damaged += aside.damage.suffix(1)
        entries.append(aside)
    }
}
