import Glibc
import SensorModel

extension SegmentEntry {
    /// Checks whether sessions were erased from the segment since, or it was sealed.
    ///
    /// - Parameter disk: An ``OverlayDisk``.
    /// - Returns: The segment's new entry; `nil`: it is unchanged.
    /// - Throws: ``DiskError``
    func erasedMeanwhile(on disk: any Disk) throws(DiskError) -> SegmentEntry? {
        do throws(DiskError) {
            var current = try reloaded(from: disk)
            if !current.isSealed {
                // Its index may just have been overwritten.
                try current.loadIndex(from: disk.open(name, .read))
                current.dropMarks()
            }
            let isChanged =
                current.header != header || !isSealed || current.index.records < index.records
            return current.isSealed && isChanged ? current : nil
        } catch {
            // Retention removed it.
            guard error.number == ENOENT else { throw error }
            return nil
        }
    }

    /// - Parameter disk: The log's folder.
    /// - Returns: The entry as its file is now.
    /// - Throws: ``DiskError``
    func reloaded(from disk: any Disk) throws(DiskError) -> SegmentEntry {
        do throws(SegmentLogError) {
            return try SegmentEntry.load(number, from: disk)
        } catch {
            guard case .disk(let cause) = error else { return self }
            throw cause
        }
    }

    /// Makes the index of an unsealed segment from its whole records.
    ///
    /// - Parameters:
    ///   - file: The segment's file.
    ///   - limit: Bytes from this position on are ignored.
    ///   - endOffset: Records from this offset on are in a later segment.
    /// - Returns: The position up to which an anchor proves that the file was on disk.
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
