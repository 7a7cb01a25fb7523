import Glibc
public import SensorModel
import Synchronization

extension SegmentLog {
    /// Erases `sessions` from every segment; their offsets become explicit gaps. The caller must
    /// have stopped appending to them.
    ///
    /// In a sealed segment their records are overwritten in place, at a cost proportional to their
    /// size, once an ``ErasureIntent`` is on disk. If most of a segment is erased, or some of it is
    /// damaged, a new file is synced and renamed over the old one, whose bytes are then
    /// overwritten. Damaged places are left out of it, because their sessions are unknown.
    ///
    /// The oldest segment comes first, as in retention: of a session that is erased in part the
    /// newest records are left. Privacy can then tell that its beginning is missing, and still
    /// knows where the runner is if the session continues.
    ///
    /// - Throws: ``SegmentLogError``; the call can be repeated for what was not erased yet.
    public func erase(_ sessions: Set<SessionID>) throws(SegmentLogError) -> Erasure {
        try sealActive(ifHolding: sessions)
        var erasure = Erasure()
        var failure: SegmentLogError?
        upkeep.withLock { _ in
            // After an earlier attempt the index no longer names its sessions, so it is not used
            // here.
            for number in unfinishedErasures {
                do throws(DiskError) { try completeErasure(in: number) } catch {
                    failure = .disk(error)
                }
            }
            do throws(DiskError) {
                try erase(sessions, &erasure)
                // This also syncs the names of an earlier attempt.
                try disk.synchronizeNames()
            } catch { failure = .disk(error) }
        }
        if let failure { throw failure }
        return erasure
    }

    private func erase(
        _ sessions: Set<SessionID>, _ erasure: inout Erasure
    ) throws(DiskError) {
        let entries = core.withLock { $0.catalog() }
        erasure.sessions =
            Set(
                entries.lazy.flatMap(\.index.parts).filter { $0.records > 0 }.map(\.session)
                    .filter(sessions.contains)
            ).count
        // A segment that a failure left open is rewritten too; only the last is in use.
        let active = core.withLock { $0.state == .writing ? $0.entries.last?.number : nil }
        for entry in entries where entry.number != active && entry.holds(sessions) {
            guard let header = entry.header else { continue }
            // Its intent must not be replaced by another.
            if unfinishedErasures.contains(entry.number) { try completeErasure(in: entry.number) }
            let file = try disk.open(entry.name, .write)
            let fresh: SegmentEntry
            if let plan = try ErasurePlan(of: entry, without: sessions, in: file) {
                fresh = plan.entry
                try eraseInPlace(plan, sessions)
                erasure.bytes += plan.bytes
            } else {
                fresh = try rewrite(entry, header, file, without: sessions)
                erasure.bytes += entry.bytes - fresh.bytes
            }
            erasure.segments += 1
            erasure.records += Int(entry.index.records) - Int(fresh.index.records)
        }
    }

    /// Segments with an incomplete erasure in place.
    var unfinishedErasures: [UInt64] { erasing.withLock { $0.sorted() } }

    private func eraseInPlace(
        _ plan: ErasurePlan, _ sessions: Set<SessionID>
    ) throws(DiskError) {
        try voidInCatalog(plan.entry.number, without: sessions)
        try plan.intent.store(on: disk)
        _ = erasing.withLock { $0.insert(plan.entry.number) }
        // From here on, a reader with the old entry that meets damage finds the intent or the new
        // index.
        core.withLock { $0.replace(plan.entry) }
        try completeErasure(in: plan.entry.number)
    }

    func completeErasure(in number: UInt64) throws(DiskError) {
        try ErasureIntent.complete(number, on: disk)
        _ = erasing.withLock { $0.remove(number) }
    }

    /// Seals the segment being written, because only a sealed segment can be rewritten. Other
    /// threads may continue to append: this does not wait for them, nor for a session that resumes
    /// meanwhile.
    private func sealActive(ifHolding sessions: Set<SessionID>) throws(SegmentLogError) {
        let end = core.withLock { $0.nextOffset }
        var stepsLeft = 3
        while !core.withLock({ $0.rollPast(sessions, before: end) }) {
            guard state == .writing else { throw .notWriting }
            writerWakeup.wake()
            guard threads.withLock({ $0.isEmpty }) else {
                settledWakeup.wait(timeoutMicroseconds: 2000)
                continue
            }
            // Without threads; or they have just ended, and the thread that closes the log writes
            // the rest.
            guard !isStopping.load(ordering: .acquiring), stepsLeft > 0 else { throw .notWriting }
            stepsLeft -= 1
            stepUntilIdle()
        }
    }

    private func rewrite(
        _ entry: SegmentEntry, _ header: SegmentHeader, _ old: any DiskFile,
        without sessions: Set<SessionID>
    ) throws(DiskError) -> SegmentEntry {
        var walk = SegmentWalk(
            file: old, header: header, end: entry.recordsEnd, parts: entry.index.parts)
        var next = header
        next.generation += 1
        try Self.removeIfThere(entry.name + SegmentFormat.temporarySuffix, on: disk)
        var rewrite = try SegmentRewrite(next, of: entry.bytes, on: disk)
        while try !rewrite.copy(&walk, without: sessions) {
            let gap = try walk.resume(endOffset: entry.index.endOffset)
            rewrite.skip(to: gap?.to.rawValue ?? entry.index.endOffset, reason: .damaged)
            if gap == nil { break }
        }
        let fresh = try rewrite.seal()
        try voidInCatalog(entry.number, without: sessions)
        try rewrite.takePlace()
        // The entry is replaced at once, even if a later step fails: the file now has another
        // header, and readers with the old entry would find nothing in it.
        core.withLock { $0.replace(fresh) }
        try disk.synchronizeNames()
        // A failed segment is longer than its valid part.
        try overwrite(old, bytes: max(entry.bytes, try old.size()))
        return fresh
    }

    /// Overwrites the old file, which has no name any more, against readers of the raw disk and
    /// readers that still hold it open.
    private func overwrite(_ file: any DiskFile, bytes: Int) throws(DiskError) {
        let zeros = [UInt8](repeating: 0, count: min(1 << 20, bytes))
        var position = 0
        while position < bytes {
            let count = min(zeros.count, bytes - position)
            try file.writeAll(zeros.span.extracting(first: count), at: position)
            position += count
        }
        try file.synchronize()
    }
}

extension SegmentDraft {
    fileprivate func holds(_ sessions: Set<SessionID>, before end: UInt64) -> Bool {
        header.firstOffset < end && index.parts.contains { sessions.contains($0.session) }
    }
}

extension SegmentEntry {
    fileprivate func holds(_ sessions: Set<SessionID>) -> Bool {
        index.parts.contains { $0.records > 0 && sessions.contains($0.session) }
    }
}

extension LogCore {
    /// Begins a new segment if one that contains the sessions is being filled, also after a
    /// takeover.
    ///
    /// - Returns: Whether everything of them recorded before `end` is sealed; `false` while nothing
    ///   is written.
    fileprivate mutating func rollPast(_ sessions: Set<SessionID>, before end: UInt64) -> Bool {
        guard state == .writing else { return false }
        if draft.holds(sessions, before: end) { roll() }
        return !rolls.contains { $0.draft.holds(sessions, before: end) }
    }
}
