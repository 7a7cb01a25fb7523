import Synchronization

/// Caches the marks of the segments that were read last.
///
/// The marks of all segments would take most of the memory for a log of several years.
final class MarkCache: Sendable {
    /// A segment's marks take 55 KB with frames at 100 Hz.
    private static let segmentsMax = 16

    private struct Kept {
        let header: SegmentHeader
        /// Number of records; it falls when a session is erased in place, and the marks are then
        /// outdated.
        let records: UInt64
        let marks: [SegmentIndex.Mark]
    }

    /// Ordered by last use, the newest last.
    private let kept = Mutex<[Kept]>([])

    /// - Parameters:
    ///   - entry: The segment.
    ///   - file: Its file.
    /// - Returns: Marks in ascending order of position; none if the index is damaged. Reading then
    ///   begins at the segment's first record.
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
