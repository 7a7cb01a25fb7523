import Glibc
import SensorModel

extension SegmentEntry {
    /// Whether sessions were erased from it since, or it was sealed.
    ///
    /// - Parameter disk: An ``OverlayDisk``.
    /// - Returns: The segment as it is by now; `nil`: as it was.
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
            // Retention took it away.
            guard error.number == ENOENT else { throw error }
            return nil
        }
    }

    /// - Parameter disk: The log's folder.
    /// - Returns: What its file says by now.
    /// - Throws: ``DiskError``
    func reloaded(from disk: any Disk) throws(DiskError) -> SegmentEntry {
        do throws(SegmentLogError) {
            return try SegmentEntry.load(number, from: disk)
        } catch {
            guard case .disk(let cause) = error else { return self }
            throw cause
        }
    }

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
