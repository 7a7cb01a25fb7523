import Synchronization

/// The marks of the segments that were read last. Those of all would be most of what a log of years
/// keeps in memory.
final class MarkCache: Sendable {
    /// 55 KB each where frames come at 100 Hz.
    private static let segmentsMax = 16

    private struct Kept {
        let header: SegmentHeader
        /// Fewer once a session was erased in place.
        let records: UInt64
        let marks: [SegmentIndex.Mark]
    }

    /// The last used comes last.
    private let kept = Mutex<[Kept]>([])

    /// - Parameters:
    ///   - entry: The segment.
    ///   - file: Its file.
    /// - Returns: Ascending by position; none where the index is damaged: then reading begins at the
    ///   segment's first record.
    /// - Throws: ``DiskError``
    func marks(
        of entry: SegmentEntry, in file: any DiskFile
    ) throws(DiskError) -> [SegmentIndex.Mark] {
        guard entry.isMarksOnDisk, let header = entry.header else { return entry.index.marks }
        let known = kept.withLock { kept -> [SegmentIndex.Mark]? in
            guard
                let place = kept.lastIndex(where: {
                    $0.header == header && $0.records == entry.index.records
                })
            else { return nil }
            let found = kept.remove(at: place)
            kept.append(found)
            return found.marks
        }
        if let known { return known }
        var loaded = entry
        try loaded.loadIndex(from: file)
        let marks = loaded.index.marks
        kept.withLock { kept in
            if kept.count >= Self.segmentsMax { kept.removeFirst() }
            kept.append(Kept(header: header, records: entry.index.records, marks: marks))
        }
        return marks
    }
}
