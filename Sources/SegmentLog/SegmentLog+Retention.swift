import Glibc
public import SensorModel
import Synchronization

extension SegmentLog {
    /// Removes whole segments, oldest first. The newest is never removed.
    ///
    /// An entry is forgotten once its file is gone for good: what fails is tried again by the next
    /// call.
    ///
    /// - Parameters:
    ///   - arrivalBefore: Segments whose records all arrived earlier go; `nil`: none by age.
    ///   - bytesMax: The oldest go until the log is not larger; `nil`: none by size.
    /// - Returns: What went.
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
            for entry in entries.prefix(due) {
                do throws(DiskError) {
                    try Self.removeIfThere(entry.name, on: disk)
                    try disk.synchronizeNames()
                } catch {
                    failure = error
                    break
                }
                if erasing.withLock({ $0.remove(entry.number) != nil }) {
                    ErasureIntent.forget(entry.number, on: disk)
                }
                forgetInCatalog(entry.number)
                erasure.sessions += core.withLock { $0.forget(entry.number) }
                erasure.segments += 1
                erasure.bytes += entry.bytes
                erasure.records += Int(entry.index.records)
            }
        }
        note(erasure, overdue: due - erasure.segments, hasFailed: failure != nil)
        if let failure { throw .disk(failure) }
        return erasure
    }

    /// Repairs the segments that a failed disk left open and that another has taken over from.
    ///
    /// - Returns: What was repaired, and what could not be: it stays readable, and the next call
    ///   tries again.
    public func repair() -> LogRepair {
        var repair = LogRepair()
        upkeep.withLock { _ in
            for number in unfinishedErasures {
                do throws(DiskError) {
                    try completeErasure(in: number)
                    repair.segments += 1
                } catch { repair.note(error) }
            }
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
        // Another took over, so all before it was on disk once.
        let outcome = try SegmentRepair(
            disk: disk, entry: entry, endOffset: endOffset, isFollowed: true
        ).run(header)
        repair.damaged += outcome.damage
        if let fresh = outcome.entry {
            core.withLock { $0.replace(fresh) }
            repair.error = repair.error ?? outcome.namesError
            return
        }
        // It holds nothing. Where the file stays, the next start finds that, too.
        _ = core.withLock { $0.forget(entry.number) }
        for name in [entry.name, entry.name + SegmentFormat.temporarySuffix] {
            Self.tryToRemove(name, on: disk)
        }
    }

    private func note(_ erasure: Erasure, overdue: Int, hasFailed: Bool) {
        upkeepCounts.withLock { counts in
            counts.deletedSegments += erasure.segments
            counts.deletedBytes += erasure.bytes
            counts.overdue = overdue
            if hasFailed { counts.failures += 1 }
        }
    }

    /// What is kept now. Cheap enough for whoever scrapes metrics.
    public var holdings: LogHoldings {
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

/// How many of the oldest segments retention takes.
struct RetentionPlan {
    let entries: [SegmentEntry]
    /// Of the log's newest record: what claims to be later has a time that nobody can use.
    let latestArrival: Int64

    /// A segment of which the times are not known goes with the next one that goes; one in which
    /// nothing is left goes with those before it.
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
