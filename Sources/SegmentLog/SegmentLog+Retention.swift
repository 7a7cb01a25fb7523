import Glibc
public import SensorModel
import Synchronization

extension SegmentLog {
    /// Removes whole segments, oldest first. The newest is never removed.
    ///
    /// An entry is dropped once its file is removed; failures are tried again by the next call.
    ///
    /// - Parameters:
    ///   - arrivalBefore: Removes segments whose records all arrived earlier; `nil`: none by age.
    ///   - bytesMax: Removes the oldest until the log is not larger; `nil`: none by size.
    /// - Returns: What was removed.
    /// - Throws: ``SegmentLogError``
    public func retain(
        arrivalBefore: Timestamp?, bytesMax: Int?
    ) throws(SegmentLogError) -> Erasure {
        var erasure = Erasure()
        var failure: DiskError?
        var due = 0
        upkeep.withLock { _ in
            let (list, latest) = core.withLock { ($0.catalog(), $0.latestArrival) }
            let entries = Array(list)
            let plan = RetentionPlan(entries: entries, latestArrival: latest)
            due = max(
                arrivalBefore.map { plan.count(arrivalBefore: $0.microseconds) } ?? 0,
                bytesMax.map { plan.count(bytesMax: $0) } ?? 0)
            do throws(DiskError) {
                if due > 0 { try removeAbandoned() }
                for entry in entries.prefix(due) {
                    try Self.removeIfThere(entry.name, on: disk)
                    try disk.synchronizeNames()
                    if erasing.withLock({ $0.remove(entry.number) != nil }) {
                        ErasureIntent.forget(entry.number, on: disk)
                    }
                    forgetInCatalog(entry.number)
                    erasure.sessions += core.withLock { $0.forget(entry.number) }
                    erasure.segments += 1
                    erasure.bytes += entry.bytes
                    erasure.records += Int(entry.index.records)
                }
            } catch { failure = error }
        }
        note(erasure, overdue: due - erasure.segments, hasFailed: failure != nil)
        if let failure { throw .disk(failure) }
        return erasure
    }

    /// Repairs the segments that a failed disk left open and that a later one has taken over from.
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
            let entries = Array(core.withLock { $0.catalog() })
            let following = SegmentEntry.followingOffsets(entries)
            for (place, entry) in entries.enumerated().dropLast() {
                guard !entry.isSealed, let header = entry.header else { continue }
                do throws(DiskError) {
                    try replace(entry, header, endOffset: following[place], &repair)
                    repair.segments += 1
                } catch { repair.note(error) }
            }
        }
        if repair.error != nil { upkeepCounts.withLock { $0.failures += 1 } }
        return repair
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
        // disk once. One that a start began says nothing of what was there.
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

    private func note(_ erasure: Erasure, overdue: Int, hasFailed: Bool) {
        upkeepCounts.withLock { counts in
            counts.deletedSegments += erasure.segments
            counts.deletedBytes += erasure.bytes
            counts.overdue = overdue
            if hasFailed { counts.failures += 1 }
        }
    }

    /// Current size of the log. Fast enough for each scrape of metrics.
    public var holdings: LogUsage {
        let entries = core.withLock { $0.catalog() }
        var holdings = upkeepCounts.withLock { $0 }
        for entry in entries {
            holdings.segments += 1
            holdings.bytes += entry.bytes
            if !entry.isSealed, entry.header != nil { holdings.unrepaired += 1 }
        }
        if let last = entries.last, !last.isSealed, last.header != nil { holdings.unrepaired -= 1 }
        holdings.unrepaired += erasing.withLock { $0.count }
        holdings.oldestArrival = entries.first { $0.index.records > 0 }
            .map { Timestamp(microseconds: $0.index.arrivalFirst) }
        return holdings
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
