import Glibc
import SensorModel

/// Brings what a folder holds into order before the log goes on.
struct Recovery {
    /// After an unclean start the numbers go on this much further: viewers may have seen offsets
    /// that never reached the disk, and none may be used twice.
    static let offsetJump: UInt64 = 1 << 20
    /// No segment moves the numbers on by more than 2 to this, its records and a jump together.
    private static let offsetBitsASegment: UInt64 = 27

    var entries: [SegmentEntry] = []
    var report = RecoveryReport()
    /// The number the next record gets.
    var nextOffset: UInt64 = 0
    var lastNumber: UInt64 = 0
    /// A bound of the numbers in segments without a readable header after the last readable one.
    private var beyondKnown: UInt64 = 0
    /// Segments that hold nothing; they go once the new one is durable.
    var empty: [String] = []

    static func run(on disk: any Disk) throws(SegmentLogError) -> Recovery {
        var recovery = Recovery()
        var numbers: [UInt64] = []
        do throws(DiskError) {
            for name in try disk.list() {
                if name.hasSuffix(SegmentFormat.temporarySuffix) { try disk.remove(name) }
                if let number = SegmentFormat.number(ofFile: name) { numbers.append(number) }
            }
        } catch { throw .disk(error) }
        numbers.sort()
        var entries: [SegmentEntry] = []
        for number in numbers { entries.append(try SegmentEntry.load(number, from: disk)) }
        Self.putAsideUndecided(&entries)
        for index in entries.indices {
            let following = entries[(index + 1)...]
            try recovery.take(
                entries[index], isLast: index == entries.count - 1,
                endOffset: following.lazy.compactMap(\.header?.firstOffset).min() ?? .max,
                isFollowed: try Self.isFollowed(by: following, on: disk), on: disk)
        }
        recovery.conclude()
        return recovery
    }

    /// Where the records of a segment that was left open end depends on what is in those after it.
    /// While the disk cannot read one of them, a cut there could lose records without a word.
    private static func putAsideUndecided(_ entries: inout [SegmentEntry]) {
        let unreadable = entries.lastIndex { $0.isPutAside } ?? entries.startIndex
        for index in entries[..<unreadable].indices
        where entries[index].header != nil && !entries[index].isSealed {
            entries[index].putAside(.undecided)
        }
    }

    /// Whether a later segment holds a record: it got its first one when all before was on disk.
    private static func isFollowed(
        by following: ArraySlice<SegmentEntry>, on disk: any Disk
    ) throws(SegmentLogError) -> Bool {
        for entry in following {
            guard let header = entry.header else { continue }
            guard !entry.isSealed else {
                if entry.index.records > 0 { return true }
                continue
            }
            do throws(DiskError) {
                var walk = SegmentWalk(
                    file: try disk.open(entry.name, .read), header: header,
                    end: entry.recordsEnd)
                if case .record = try walk.next() { return true }
            } catch { throw .disk(error) }
        }
        return false
    }

    private mutating func take(
        _ entry: SegmentEntry, isLast: Bool, endOffset: UInt64, isFollowed: Bool,
        on disk: any Disk
    ) throws(SegmentLogError) {
        lastNumber = entry.number
        report.damaged += entry.damage
        guard let header = entry.header else {
            try takeDamaged(entry, on: disk)
            return
        }
        beyondKnown = 0
        nextOffset = max(nextOffset, entry.isSealed ? entry.index.endOffset : header.firstOffset)
        // A rewritten one may be the work of a start that did not come to its end.
        if isLast { report.wasClosed = entry.isSealed && header.generation == 0 }
        guard !entry.isSealed else {
            entries.append(entry)
            return
        }
        do throws(DiskError) {
            let outcome = try SegmentRepair(
                disk: disk, entry: entry, endOffset: endOffset, isFollowed: isFollowed
            ).run(header)
            report.damaged += outcome.damage
            report.tornTail = outcome.tornTail ?? report.tornTail
            if let entry = outcome.entry {
                nextOffset = max(nextOffset, entry.index.endOffset)
                entries.append(entry)
            } else {
                empty.append(entry.name)
                empty.append(entry.name + SegmentFormat.temporarySuffix)
            }
        } catch { throw .disk(error) }
    }

    /// A segment is created, header and all, before its first record is written: a file without a
    /// header holds records only if something destroyed the header later. One that cannot be read
    /// now may have any header: viewers may have seen numbers from there on.
    private mutating func takeDamaged(
        _ entry: SegmentEntry, on disk: any Disk
    ) throws(SegmentLogError) {
        report.wasClosed = false
        if !entry.isPutAside, try isUnborn(entry, on: disk) {
            report.damaged.removeAll { $0.segment == entry.name }
            empty.append(entry.name)
            return
        }
        // Nobody knows where its numbers begin, and it may be readable again one day.
        beyondKnown = (entry.number + 1) << Self.offsetBitsASegment
        entries.append(entry)
    }

    private func isUnborn(
        _ entry: SegmentEntry, on disk: any Disk
    ) throws(SegmentLogError) -> Bool {
        do throws(DiskError) {
            let file = try disk.open(entry.name, .read)
            var position = SegmentFormat.recordsStart
            while position < entry.bytes {
                let block = try file.readUp(to: 1 << 20, at: position)
                guard !block.isEmpty else { return false }
                guard block.allSatisfy({ $0 == 0 }) else { return false }
                position += block.count
            }
            return true
        } catch {
            guard error.number == EIO else { throw .disk(error) }
            return false
        }
    }

    private mutating func conclude() {
        nextOffset = max(nextOffset, beyondKnown)
        if !report.wasClosed { nextOffset += Self.offsetJump }
        report.segments = entries.count
        report.records = entries.reduce(0) { $0 + Int($1.index.records) }
        report.bytes = entries.reduce(0) { $0 + $1.bytes }
    }
}
