import Glibc
import SensorModel

/// Repairs a folder's segments before the log continues.
struct Recovery {
    /// Jump of the offsets after an unclean start.
    ///
    /// Viewers may have seen offsets that never reached the disk, and no offset may be used twice.
    /// The jump exceeds the number of records of a segment and of the memory before it, even if all
    /// are empty.
    static let offsetJump: UInt64 = 1 << 23
    /// The smallest jump that any version has made. Offsets that are arrival times continue at a
    /// multiple of it, which distinguishes a start from lost records.
    static let offsetJumpLeast: UInt64 = 1 << 20
    /// Jump of the offsets if the clock is wrong: more than an hour. A machine without a clock of
    /// its own can start with a time that is an hour old. Until the clock is right, offsets count
    /// records.
    private static let wrongClockJump: UInt64 = 1 << 32
    /// Jump of the offsets of a restored log: 12.7 to 216 days, by a random number of each start.
    /// Viewers may have seen records from after the backup, and each unclean start had moved the
    /// lost log's offsets further ahead of the clock. The number is random since a backup may be
    /// restored twice.
    private static func restoreJump(drawn: UInt32) -> UInt64 { 1 << 40 + UInt64(drawn) << 12 }
    /// Binary logarithm of the most offsets that a segment uses, including a jump, if offsets count
    /// records.
    private static let offsetBitsASegment: UInt64 = 27
    /// Binary logarithm of how far a segment's offsets can be above the clock if offsets are
    /// arrival times. It covers records at the same time and a jump.
    private static let timedBitsASegment: UInt64 = 24
    /// Offsets above this are arrival times, of 1971 and later.
    static let timedOffsetMin: UInt64 = 1 << 45

    var entries: [SegmentEntry] = []
    var report = RecoveryReport()
    /// Lower bound of the next record's offset.
    var nextOffset: UInt64 = 0
    var lastNumber: UInt64 = 0
    /// Number of the newest segment if its header is unreadable: its last offset is unknown.
    private var unknownNumber: UInt64?
    /// Time at which the newest segment was made.
    private var newestBase = Int64.min
    var catalog = CatalogState()
    /// Segments whose erasure in place could not be completed.
    var erasing: Set<UInt64> = []
    /// Open segments with records that may be only in the kernel's memory, because the disk took
    /// neither a copy nor the same bytes again. These records are not in the index.
    var undurable: Set<UInt64> = []
    /// Segments that retention has removed from the log but whose files still exist.
    var overdue: [UInt64] = []
    /// Numbers of the ``FirstMark`` files.
    var firstMarks: Set<UInt64> = []
    /// Segments without records, which are removed once the new one is durable.
    var empty: [String] = []
    /// Jump of the first start after a restore; `nil` at any other.
    private var restoreJump: UInt64?
    /// Files that are removed once the new segment is durable.
    var unneeded: [String] { empty + (restoreJump == nil ? [] : [SegmentFormat.restoredName]) }

    /// Runs the recovery. `now` is the arrival clock; `drawn` is a random number of this start.
    static func run(
        on disk: any Disk, at now: Timestamp, _ configuration: LogConfiguration
    ) throws(SegmentLogError) -> Recovery {
        var recovery = Recovery()
        let names: [String]
        do throws(DiskError) { names = try disk.list() } catch { throw .disk(error) }
        let kept = recovery.completeErasures(among: names, on: disk)
        for name in names where name.hasSuffix(SegmentFormat.temporarySuffix) {
            if !kept.contains(name) { SegmentLog.tryToRemove(name, on: disk) }
        }
        let (numbers, deleted) = SegmentFormat.segments(of: names)
        recovery.overdue = deleted
        if names.contains(SegmentFormat.restoredName) {
            recovery.restoreJump = restoreJump(drawn: configuration.newEpoch)
        }
        recovery.firstMarks = FirstMark.numbers(of: names)
        // Otherwise a new segment could get a number before a mark.
        recovery.lastNumber = (recovery.firstMarks.max() ?? 1) - 1
        let disk: any Disk = recovery.erasing.isEmpty ? disk : OverlayDisk(disk)
        let content = numbers.isEmpty ? CatalogFile.Content() : CatalogFile.read(from: disk)
        var entries = try CatalogFile.segments(
            numbers, on: disk, knowing: content, isGoneAllowed: false)
        let deciding = Self.deciding(entries, on: disk)
        let ends =
            SegmentEntry.followingOffsets(Array(deciding))
            + [UInt64](repeating: .max, count: entries.count - deciding.count)
        for index in entries.indices where entries[index].index.endOffset > ends[index] {
            entries[index].unseal()
        }
        recovery.note(content, entries, on: disk)
        recovery.catalog.uncertain = Self.uncertainSeals(entries, knowing: content)
        Self.putAsideUndecided(&entries)
        for index in entries.indices {
            recovery.take(
                entries[index], endOffset: ends[index], following: entries[(index + 1)...],
                on: disk)
        }
        recovery.conclude(at: now, configuration.offsetJump)
        return recovery
    }

    /// Completes erasures before a segment is read: a crash may have left it half erased. If the
    /// disk refuses the writes, the segment is read as if they were made.
    ///
    /// - Returns: Names of prepared files that are still needed.
    private mutating func completeErasures(
        among names: [String], on disk: any Disk
    ) -> Set<String> {
        var numbers = Set(ErasureIntent.numbers(of: names))
        var kept: Set<String> = []
        if names.contains(ErasureCommit.name) {
            if let commit = ErasureCommit.readIfPossible(from: disk) {
                do throws(DiskError) {
                    try commit.complete(on: disk)
                    numbers.formUnion(commit.parts.map(\.number))
                } catch {
                    kept = Set(commit.parts.map(\.preparedName))
                    for part in commit.parts { leaveErasing(part.number, because: error) }
                }
            } else {
                SegmentLog.tryToRemove(ErasureCommit.name, on: disk)
            }
        }
        for number in numbers.sorted() where !erasing.contains(number) {
            do throws(DiskError) {
                try ErasureIntent.complete(number, on: disk)
            } catch { leaveErasing(number, because: error) }
        }
        return kept
    }

    private mutating func leaveErasing(_ number: UInt64, because error: DiskError) {
        erasing.insert(number)
        report.leftOpen.append(
            UnrepairedSegment(segment: SegmentFormat.fileName(of: number), error: error))
    }

    /// Compares the catalog with the newest segment before anything is changed. They must agree,
    /// since the catalog is trusted once there is a newer segment.
    private mutating func note(
        _ content: CatalogFile.Content, _ entries: [SegmentEntry], on disk: any Disk
    ) {
        if let last = entries.last, let known = content.entries[last.number],
            !last.isSealed || last.header != known.header || last.bytes != known.bytes
                || last.index != known.index
        {
            SegmentLog.tryToRemove(CatalogFile.name, on: disk)
            return
        }
        let listed = Set(entries.lazy.filter { $0.isSealed || $0.header == nil }.map(\.number))
        let known = Set(entries.lazy.map(\.number))
        catalog = content.state
        // The segments of these entries are gone, or are read from their own files from now on.
        for number in content.state.places.keys where !listed.contains(number) {
            catalog.drop(number)
        }
        for number in content.state.voided.keys where !known.contains(number) {
            catalog.drop(number)
        }
    }

    /// Whether a later segment holds a record. A segment gets its first record only when everything
    /// before it is on disk.
    static func isFollowed(
        by following: ArraySlice<SegmentEntry>, on disk: any Disk
    ) throws(DiskError) -> Bool {
        for entry in following {
            guard let header = entry.header else { continue }
            guard !entry.isSealed else {
                // Its records may have been erased.
                if entry.recordsEnd > SegmentFormat.recordsStart { return true }
                continue
            }
            var walk = SegmentWalk(
                file: try disk.open(entry.name, .read), header: header, end: entry.recordsEnd)
            if case .record = try walk.next() { return true }
        }
        return false
    }

    private mutating func take(
        _ entry: SegmentEntry, endOffset: UInt64, following: ArraySlice<SegmentEntry>,
        on disk: any Disk
    ) {
        lastNumber = max(lastNumber, entry.number)
        report.damaged += entry.damage
        guard let header = entry.header else { return takeDamaged(entry, on: disk) }
        unknownNumber = nil
        newestBase = max(newestBase, header.arrivalBase)
        nextOffset = max(nextOffset, entry.isSealed ? entry.index.endOffset : header.firstOffset)
        // A rewritten segment may come from a start that did not complete.
        if following.isEmpty { report.wasClosed = entry.isSealed && header.generation == 0 }
        guard !entry.isSealed else {
            entries.append(entry)
            return
        }
        do throws(DiskError) {
            if let error = entry.indexError { throw error }
            if try Self.wasUnknown(entry, header, toStartAt: endOffset, on: disk) {
                return putAsideUnknown(entry)
            }
            let outcome = try SegmentRepair(
                disk: disk, entry: entry, endOffset: endOffset,
                isFollowed: try Self.isFollowed(by: following, on: disk)
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
        } catch {
            leaveOpen(entry, header, before: endOffset, because: error, on: disk)
        }
    }

    /// Leaves a segment open that cannot be repaired now: a block is unreadable, or the disk cannot
    /// take a copy. It stays readable as far as possible, and ``SegmentLog/repair()`` tries again.
    private mutating func leaveOpen(
        _ entry: SegmentEntry, _ header: SegmentHeader, before endOffset: UInt64,
        because error: DiskError, on disk: any Disk
    ) {
        SegmentLog.tryToRemove(entry.name + SegmentFormat.temporarySuffix, on: disk)
        report.wasClosed = false
        report.leftOpen.append(UnrepairedSegment(segment: entry.name, error: error))
        // The unreadable part may contain records up to the file's end, which viewers have seen.
        let recordsMax = UInt64(entry.bytes / SegmentFormat.recordHeaderBytes)
        nextOffset = max(nextOffset, min(header.firstOffset + recordsMax, endOffset))
        var open = entry
        do throws(DiskError) {
            let file = LenientFile(try Self.openToOverwrite(entry.name, on: disk))
            var isDurable = true
            do throws(DiskError) { try file.makeDurable() } catch { isDurable = false }
            let durable = try open.indexByReading(file, until: entry.bytes, before: endOffset)
            // Only records that are certainly on disk count as durable.
            if !isDurable {
                try open.indexByReading(file, until: durable, before: endOffset)
                undurable.insert(entry.number)
            }
            if let first = file.unreadableRanges.first {
                open.isPartlyUnreadable = true
                report.damaged.append(
                    LogDamage(segment: entry.name, byte: first.lowerBound, reason: .unreadable))
            }
        } catch {
            open = entry
            open.putAside(.unreadable)
            report.damaged += open.damage.suffix(1)
            unknownNumber = entry.number
        }
        entries.append(open)
    }

    /// Opens a file for writing or, on a read-only disk, for reading.
    private static func openToOverwrite(
        _ name: String, on disk: any Disk
    ) throws(DiskError) -> any DiskFile {
        do throws(DiskError) { return try disk.open(name, .write) } catch {
            guard error.trouble.isRefusal else { throw error }
            return try disk.open(name, .read)
        }
    }

    /// Handles a segment with a damaged header. A segment is created with its header before its
    /// first record is written, so a file without a header holds records only if the header was
    /// destroyed later. An unreadable file may have any header: viewers may have seen offsets from
    /// there on.
    private mutating func takeDamaged(_ entry: SegmentEntry, on disk: any Disk) {
        report.wasClosed = false
        if !entry.isPutAside, isUnborn(entry, on: disk) {
            report.damaged.removeAll { $0.segment == entry.name }
            empty.append(entry.name)
            return
        }
        // Its first offset is unknown, and it may become readable again.
        unknownNumber = entry.number
        entries.append(entry)
    }

    private func isUnborn(_ entry: SegmentEntry, on disk: any Disk) -> Bool {
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
            // An unreadable part may contain anything.
            return false
        }
    }

    /// Whether a restart of the daemon explains that a segment begins at offset `next`, with no
    /// records between `end` and it.
    static func isJump(from end: UInt64, to next: UInt64) -> Bool {
        guard next - end >= offsetJumpLeast else { return false }
        return next < timedOffsetMin || next.isMultiple(of: offsetJumpLeast)
    }

    private mutating func jump(at now: Timestamp, newest: Int64, _ usual: UInt64) {
        // Viewers have seen no offset later than the clock, unless it was set back since.
        let clock =
            now.microseconds >= newest
            ? UInt64(clamping: min(now.microseconds, SegmentFormat.timedOffsetMax))
            : UInt64(clamping: newest) + Self.wrongClockJump
        nextOffset = max(nextOffset, clock) + (restoreJump ?? usual)
        guard nextOffset >= Self.timedOffsetMin else { return }
        let rest = nextOffset % Self.offsetJumpLeast
        if rest > 0 { nextOffset += Self.offsetJumpLeast - rest }
    }

    private mutating func conclude(at now: Timestamp, _ usualJump: UInt64) {
        let newest = entries.reduce(newestBase) { max($0, $1.index.arrivalLast) }
        if let number = unknownNumber {
            // Each earlier start may have jumped.
            let clock = UInt64(
                clamping: min(max(now.microseconds, newest), SegmentFormat.timedOffsetMax))
            // That segment may be the first one after a restore, or follow it.
            nextOffset = max(
                nextOffset + 1 << Self.timedBitsASegment, (number + 1) << Self.offsetBitsASegment,
                clock + 2 * Self.wrongClockJump + (number + 1) << Self.timedBitsASegment
                    + Self.restoreJump(drawn: .max))
        }
        if !report.wasClosed || restoreJump != nil { jump(at: now, newest: newest, usualJump) }
        report.segments = entries.count
        report.records = entries.reduce(0) { $0 + Int($1.index.records) }
        report.bytes = entries.reduce(0) { $0 + $1.bytes }
    }
}
