import Glibc
public import SensorModel
import Synchronization

extension SegmentLog {
    /// The segments that ``retain(_:)`` removes, and their sessions.
    public struct Due: Sendable {
        /// Sessions that will have no records left.
        public fileprivate(set) var sessions: Set<SessionID> = []
        /// Numbers of the segments, oldest first.
        fileprivate(set) var segments: [UInt64] = []
        public var isEmpty: Bool { segments.isEmpty }
    }

    /// Finds the segments that retention must remove.
    ///
    /// - Parameters:
    ///   - arrivalBefore: Segments whose records all arrived earlier are due; `nil`: none by age.
    ///   - bytesMax: The oldest are due until the log is not larger; `nil`: none by size.
    /// - Returns: Whole segments, oldest first. The newest is never due.
    public func dueForRetention(arrivalBefore: Timestamp?, bytesMax: Int?) -> Due {
        let (list, latest, places) = core.withLock { ($0.catalog(), $0.latestArrival, $0.places) }
        let entries = Array(list)
        let plan = RetentionPlan(entries: entries, latestArrival: latest)
        let count = max(
            arrivalBefore.map { plan.count(arrivalBefore: $0.microseconds) } ?? 0,
            bytesMax.map { plan.count(bytesMax: $0) } ?? 0)
        guard count > 0 else { return Due() }
        let last = entries[count - 1].number
        let newest = Set((list.last?.index.parts ?? []).lazy.map(\.session))
        var due = Due(segments: entries[..<count].map(\.number))
        for entry in entries[..<count] {
            for part in entry.index.parts where part.records > 0 {
                let end = places.places(of: part.session).last?.segment ?? 0
                guard end <= last, !newest.contains(part.session) else { continue }
                due.sessions.insert(part.session)
            }
        }
        return due
    }

    /// Removes segments from the log, and their files from the disk.
    ///
    /// Readers no longer see the segments, even if the disk fails. A file that cannot be removed is
    /// emptied, and the next call tries again. It stops the removal of others only if the disk
    /// takes no mark either.
    ///
    /// - Parameter due: The answer of ``dueForRetention(arrivalBefore:bytesMax:)``.
    /// - Returns: What was removed from the disk.
    /// - Throws: ``SegmentLogError``; as much as possible was removed.
    public func retain(_ due: Due) throws(SegmentLogError) -> Erasure {
        var erasure = Erasure()
        var failure: DiskError?
        upkeep.withLock { _ in
            for number in due.segments {
                guard let entry = core.withLock({ $0.entries[number] }) else { continue }
                erasure.sessions += core.withLock { $0.forget(number) }
                erasing.withLock { _ = $0.remove(number) }
                overdue.withLock { $0[number] = OverdueSegment(entry) }
            }
            failure = removeOverdue(&erasure)
            do throws(DiskError) {
                try forgetInCatalog(due.segments)
                if !due.isEmpty { try removeAbandoned() }
            } catch { failure = failure ?? error }
        }
        upkeepCounts.withLock { counts in
            counts.deletedSegments += erasure.segments
            counts.deletedBytes += erasure.bytes
            if failure != nil { counts.failures += 1 }
        }
        if let failure { throw .disk(failure) }
        return erasure
    }

    /// Finds the due segments and removes them.
    public func retain(
        arrivalBefore: Timestamp?, bytesMax: Int?
    ) throws(SegmentLogError) -> Erasure {
        try retain(dueForRetention(arrivalBefore: arrivalBefore, bytesMax: bytesMax))
    }

    /// Removes the files of segments that are gone from the log, oldest first. Older files that a
    /// failing disk left without records are removed, too.
    ///
    /// - Returns: The first error.
    func removeOverdue(_ erasure: inout Erasure) -> DiskError? {
        let segments = overdue.withLock { $0 }
        guard let last = segments.keys.max() else { return removeMarks() }
        let numbers = abandoned.withLock { $0.filter { $0 < last } }.union(segments.keys)
        var failure: DiskError?
        var removed: Set<UInt64> = []
        for number in numbers.sorted() {
            do throws(DiskError) {
                for name in Self.files(of: number) { try Self.removeIfThere(name, on: disk) }
                removed.insert(number)
            } catch {
                failure = failure ?? error
                if segments[number]?.isEmptied != true, Self.truncate(number, on: disk) {
                    overdue.withLock { $0[number]?.isEmptied = true }
                }
                // Without a mark a start would take removed later ones for lost, so they stay, too.
                guard isMarked(last + 1) else { break }
            }
        }
        // A power loss may undo removals until the names are synced.
        do throws(DiskError) { try disk.synchronizeNames() } catch { return failure ?? error }
        for (number, segment) in segments where removed.contains(number) {
            erasure.segments += 1
            erasure.bytes += segment.bytes
            erasure.records += segment.records
        }
        overdue.withLock { $0 = $0.filter { !removed.contains($0.key) } }
        abandoned.withLock { $0.subtract(removed) }
        return failure ?? removeMarks()
    }

    private func isMarked(_ number: UInt64) -> Bool {
        guard firstMarks.withLock({ !$0.contains(number) }) else { return true }
        do throws(DiskError) { try FirstMark.store(number, on: disk) } catch { return false }
        _ = firstMarks.withLock { $0.insert(number) }
        return true
    }

    /// Removes marks once no file needs them.
    private func removeMarks() -> DiskError? {
        guard overdue.withLock({ $0.isEmpty }) else { return nil }
        let abandoned = abandoned.withLock { $0.min() } ?? .max
        var failure: DiskError?
        for number in firstMarks.withLock({ $0 }) where number <= abandoned {
            do throws(DiskError) {
                try Self.removeIfThere(FirstMark.name(number), on: disk)
                _ = firstMarks.withLock { $0.remove(number) }
            } catch { failure = failure ?? error }
        }
        return failure
    }

    /// Names of all files that a segment may have.
    private static func files(of number: UInt64) -> [String] {
        [SegmentFormat.fileName(of: number)] + ErasurePart.preparedNames(of: number)
            + [SegmentFormat.fileName(of: number, suffix: SegmentFormat.erasureSuffix)]
    }

    /// Empties a file that cannot be removed; a start ignores an empty file.
    ///
    /// - Returns: Whether the file is durably empty.
    private static func truncate(_ number: UInt64, on disk: any Disk) -> Bool {
        do throws(DiskError) {
            let file = try disk.open(SegmentFormat.fileName(of: number), .write)
            try file.truncate(to: 0)
            try file.synchronize()
            return true
        } catch {
            return false
        }
    }

    /// Repairs the segments that a failed disk left open and that a later segment follows.
    ///
    /// - Returns: The repaired segments and the remaining ones. Those stay readable, and the next
    ///   call tries again.
    public func repair() -> LogRepair {
        var repair = LogRepair()
        upkeep.withLock { _ in
            for number in unfinishedErasures {
                do throws(DiskError) {
                    try completeErasure(in: number)
                    repair.segments += 1
                } catch { repair.note(error) }
            }
            do throws(DiskError) { try removeAbandoned() } catch { repair.note(error) }
            repairOpen(&repair)
        }
        if repair.error != nil { upkeepCounts.withLock { $0.failures += 1 } }
        return repair
    }

    /// - Returns: The first offset after the segments that stay open; 0: there are none.
    @discardableResult
    func repairOpen(_ repair: inout LogRepair) -> UInt64 {
        let entries = Array(core.withLock { $0.catalog() })
        let following = SegmentEntry.followingOffsets(entries)
        var end: UInt64 = 0
        for (place, entry) in entries.enumerated().dropLast() {
            guard !entry.isSealed, let header = entry.header else { continue }
            do throws(DiskError) {
                try replace(entry, header, endOffset: following[place], &repair)
                repair.segments += 1
            } catch {
                repair.note(error)
                end = following[place]
            }
        }
        return end
    }

    private func replace(
        _ entry: SegmentEntry, _ header: SegmentHeader, endOffset: UInt64,
        _ repair: inout LogRepair
    ) throws(DiskError) {
        try Self.removeIfThere(entry.name + SegmentFormat.temporarySuffix, on: disk)
        if entry.indexError != nil {
            let own = try entry.reloaded(from: disk)
            if let error = own.indexError { throw error }
            guard !own.isSealed else { return core.withLock { $0.replace(own) } }
        }
        // A segment that took over begins where durability ended, so everything before it was on
        // disk once. A segment begun by a start proves nothing about earlier records.
        let end = entry.index.endOffset
        let isFollowed = end >= endOffset || !Recovery.isJump(from: end, to: endOffset)
        let outcome = try SegmentRepair(
            disk: disk, entry: entry, endOffset: endOffset, isFollowed: isFollowed
        ).run(header)
        repair.damaged += outcome.damage
        if let fresh = outcome.entry {
            core.withLock { $0.replace(fresh) }
            repair.error = repair.error ?? outcome.namesError
            return
        }
        // The segment is empty.
        _ = core.withLock { $0.forget(entry.number) }
        Self.tryToRemove(entry.name + SegmentFormat.temporarySuffix, on: disk)
        abandon(header)
    }

    /// Current size of the log. Fast enough for each scrape of metrics.
    public var usage: LogUsage {
        let entries = core.withLock { $0.catalog() }
        var usage = upkeepCounts.withLock { $0 }
        for entry in entries {
            usage.segments += 1
            usage.bytes += entry.bytes
            if !entry.isSealed, entry.header != nil { usage.unrepaired += 1 }
        }
        if let last = entries.last, !last.isSealed, last.header != nil { usage.unrepaired -= 1 }
        usage.unrepaired += erasing.withLock { $0.count }
        var oldest = entries.first { $0.index.records > 0 }?.index.arrivalFirst
        for segment in overdue.withLock({ Array($0.values) }) {
            usage.overdue += 1
            guard !segment.isEmptied else { continue }
            usage.bytes += segment.bytes
            if segment.records > 0 { oldest = min(segment.arrivalFirst, oldest ?? .max) }
        }
        usage.oldestArrival = oldest.map { Timestamp(microseconds: $0) }
        return usage
    }
}

/// Computes how many of the oldest segments retention removes.
struct RetentionPlan {
    let entries: [SegmentEntry]
    /// Arrival of the log's newest record; later times are wrong and are ignored.
    let latestArrival: Int64

    /// A segment whose times are unknown is removed with the next one that is removed; a segment
    /// without records is removed with those before it.
    func count(arrivalBefore: Int64) -> Int {
        var count = 0
        for (place, entry) in entries.dropLast().enumerated() {
            let index = entry.index
            if index.records > 0, index.arrivalLast <= latestArrival {
                guard index.arrivalLast < arrivalBefore else { break }
                count = place + 1
            } else if index.records == 0, entry.isSealed, place == count {
                count = place + 1
            }
        }
        return count
    }

    func count(bytesMax: Int) -> Int {
        var bytes = entries.reduce(0) { $0 + $1.bytes }
        var count = 0
        while count < entries.count - 1, bytes > bytesMax {
            bytes -= entries[count].bytes
            count += 1
        }
        return count
    }
}
