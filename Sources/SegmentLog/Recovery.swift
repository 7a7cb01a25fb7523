import Glibc
import SensorModel

/// Brings what a folder holds into order before the log goes on.
struct Recovery {
    /// After an unclean start the numbers go on this much further: viewers may have seen offsets
    /// that never reached the disk, and none may be used twice.
    static let offsetJump: UInt64 = 1 << 20

    var entries: [SegmentEntry] = []
    var report = RecoveryReport()
    /// The number the next record gets.
    var nextOffset: UInt64 = 0
    var lastNumber: UInt64 = 0
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
        for index in entries.indices {
            let following = entries[(index + 1)...].lazy.compactMap(\.header?.firstOffset)
            try recovery.take(
                entries[index], isLast: index == entries.count - 1,
                endOffset: following.min() ?? .max, on: disk)
        }
        recovery.conclude()
        return recovery
    }

    private mutating func take(
        _ entry: SegmentEntry, isLast: Bool, endOffset: UInt64, on disk: any Disk
    ) throws(SegmentLogError) {
        lastNumber = entry.number
        report.damaged += entry.damage
        guard let header = entry.header else {
            try takeDamaged(entry, on: disk)
            return
        }
        nextOffset = max(nextOffset, entry.isSealed ? entry.index.endOffset : header.firstOffset)
        if isLast { report.wasClosed = entry.isSealed }
        guard !entry.isSealed else {
            entries.append(entry)
            return
        }
        do throws(DiskError) {
            let outcome = try SegmentRepair(disk: disk, entry: entry, endOffset: endOffset)
                .run(header)
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
    /// header holds records only if something destroyed the header later.
    private mutating func takeDamaged(
        _ entry: SegmentEntry, on disk: any Disk
    ) throws(SegmentLogError) {
        report.wasClosed = false
        guard !(try isUnborn(entry, on: disk)) else {
            report.damaged.removeAll { $0.segment == entry.name }
            empty.append(entry.name)
            return
        }
        // Nobody knows how many records it holds: not more than fit.
        nextOffset += UInt64(entry.bytes / SegmentFormat.recordHeaderBytes)
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
        if !report.wasClosed { nextOffset += Self.offsetJump }
        report.segments = entries.count
        report.records = entries.reduce(0) { $0 + Int($1.index.records) }
        report.bytes = entries.reduce(0) { $0 + $1.bytes }
    }
}
