import Glibc
public import SensorModel
import Synchronization

extension SegmentLog {
    /// Erases `sessions` from every segment; their offsets become explicit gaps. The caller must
    /// have stopped appending to them.
    ///
    /// In a sealed segment their records are overwritten in place, at a cost proportional to their
    /// size, once an ``ErasureIntent`` is on disk. A segment that is open, or damaged in places
    /// that may belong to them, is replaced by a new file. Damaged places are left out of it,
    /// because their sessions are unknown. A session leaves all its segments at once:
    /// ``ErasureCommit``.
    ///
    /// - Throws: ``SegmentLogError``; a repeated call erases the rest. Known records are erased
    ///   even if a segment stays open whose repair may find more of the sessions.
    public func erase(_ sessions: Set<SessionID>) throws(SegmentLogError) -> Erasure {
        try sealActive(ifHolding: sessions)
        var erasure = Erasure()
        var failure: DiskError?
        upkeep.withLock { _ in
            // After an earlier attempt the index no longer names its sessions, so it is not used
            // here.
            for number in unfinishedErasures {
                do throws(DiskError) { try completeErasure(in: number) } catch { failure = error }
            }
            // An open segment may hold more of the sessions than its index says.
            var repair = LogRepair()
            let openEnd = repairOpen(&repair)
            erasure.damaged = repair.damaged
            if core.withLock({ $0.holdsAny(of: sessions, before: openEnd) }) {
                failure = failure ?? repair.error
            }
            // So may a segment that retention could not remove.
            var removed = Erasure()
            let error = removeOverdue(&removed)
            if overdue.withLock({ $0.values.contains { $0.mayHold(sessions) } }) {
                failure = failure ?? error
            }
            for batch in batches(of: sessions) {
                do throws(DiskError) { try erase(batch, &erasure) } catch {
                    failure = failure ?? error
                }
            }
            do throws(DiskError) {
                // A torn write may have left a session's introduction in one of these.
                try removeAbandoned()
                // This also syncs the names of an earlier attempt.
                try disk.synchronizeNames()
            } catch { failure = failure ?? error }
        }
        if let failure { throw .disk(failure) }
        return erasure
    }

    private func batches(of sessions: Set<SessionID>) -> [ErasureBatch] {
        let places = core.withLock { core in
            // A segment that a failure left open is included; only the last is in use.
            let active = core.state == .writing ? core.entries.last?.number : nil
            return sessions.map { session in
                let segments = core.places.places(of: session).map(\.segment)
                return (
                    session,
                    segments.filter { $0 != active && core.entries[$0]?.header != nil }
                )
            }
        }
        return ErasureBatch.batches(places)
    }

    private func erase(_ batch: ErasureBatch, _ erasure: inout Erasure) throws(DiskError) {
        var steps: [PreparedErasure] = []
        do throws(DiskError) {
            for number in batch.segments.sorted() {
                // An unfinished intent must not be replaced by another.
                if unfinishedErasures.contains(number) { try completeErasure(in: number) }
                guard let entry = core.withLock({ $0.entries[number] }), let header = entry.header
                else { continue }
                steps.append(try prepare(entry, header, without: batch.sessions))
            }
            try voidInCatalog(steps.map(\.part.number), without: batch.sessions)
            try begin(steps)
        } catch {
            for step in steps { Self.tryToRemove(step.part.preparedName, on: disk) }
            throw error
        }
        erasure.sessions += batch.sessions.count
        for step in steps {
            erasure.bytes += step.bytes
            erasure.segments += 1
            erasure.records += Int(step.old.index.records) - Int(step.fresh.index.records)
        }
        var failure: DiskError?
        for step in steps {
            do throws(DiskError) {
                try completeErasure(in: step.part.number)
                giveBackSpace(of: step.fresh)
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func prepare(
        _ entry: SegmentEntry, _ header: SegmentHeader, without sessions: Set<SessionID>
    ) throws(DiskError) -> PreparedErasure {
        // A rewrite that failed leaves a copy of the segment.
        try Self.removeIfThere(entry.name + SegmentFormat.temporarySuffix, on: disk)
        let file = try disk.open(entry.name, .write)
        if let plan = try ErasurePlan(of: entry, without: sessions, in: file) {
            return PreparedErasure(
                part: try plan.intent.prepare(on: disk), old: entry, fresh: plan.entry,
                bytes: plan.bytes)
        }
        let fresh = try rewrite(entry, header, file, without: sessions).entry
        return PreparedErasure(
            part: try ErasurePart(prepared: .replacement, of: entry.number, on: disk), old: entry,
            fresh: fresh, bytes: entry.bytes - fresh.bytes)
    }

    /// Begins the erasure, which is then completed even after a crash. A reader with an old entry
    /// that meets damage finds the new entry.
    private func begin(_ steps: [PreparedErasure]) throws(DiskError) {
        var old: (any DiskFile)?
        if steps.count > 1 {
            try ErasureCommit(steps.map(\.part)).store(on: disk)
        } else {
            old = try steps.first?.part.takeEffect(on: disk)
        }
        erasing.withLock { $0.formUnion(steps.map(\.part.number)) }
        core.withLock { core in
            for step in steps { core.replace(step.fresh) }
        }
        guard let old else { return }
        try disk.synchronizeNames()
        try ErasurePart.overwrite(old)
    }

    /// Segments with an incomplete erasure.
    var unfinishedErasures: [UInt64] { erasing.withLock { $0.sorted() } }

    func completeErasure(in number: UInt64) throws(DiskError) {
        try ErasureCommit.read(from: disk)?.complete(on: disk)
        try ErasureIntent.complete(number, on: disk)
        _ = erasing.withLock { $0.remove(number) }
    }

    /// Seals the segment being written, because a segment in use cannot be rewritten. Other threads
    /// may continue to append: this does not wait for them, nor for a session that resumes
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
            // There are no threads, or they have just ended and the closing thread writes the rest.
            guard !isStopping.load(ordering: .acquiring), stepsLeft > 0 else { throw .notWriting }
            stepsLeft -= 1
            stepUntilIdle()
        }
    }

    /// Copies a segment to a synced file under a temporary name.
    ///
    /// - Returns: The copy, and its entry once it is in place.
    private func rewrite(
        _ entry: SegmentEntry, _ header: SegmentHeader, _ old: any DiskFile,
        without sessions: Set<SessionID> = []
    ) throws(DiskError) -> (copy: SegmentRewrite, entry: SegmentEntry) {
        var walk = SegmentWalk(
            file: old, header: header, end: entry.recordsEnd, parts: entry.index.parts)
        var next = header
        next.generation += 1
        var rewrite = try SegmentRewrite(next, of: entry.bytes, on: disk)
        while try !rewrite.copy(&walk, without: sessions) {
            let gap = try walk.resume(endOffset: entry.index.endOffset)
            rewrite.skip(to: gap?.to.rawValue ?? entry.index.endOffset, reason: .damaged)
            if gap == nil { break }
        }
        let fresh = try rewrite.seal()
        return (rewrite, fresh)
    }

    /// Rewrites a segment if more than half of it is erased bytes. So no more is copied than was
    /// erased. If this fails the space stays used, until more is erased from the segment.
    private func giveBackSpace(of entry: SegmentEntry) {
        let erased = entry.index.parts.reduce(0) { $0 + Int($1.erasedBytes) }
        guard let header = entry.header, entry.isSealed,
            erased > (entry.recordsEnd - SegmentFormat.recordsStart) / 2
        else { return }
        do throws(DiskError) {
            let (copy, fresh) = try rewrite(entry, header, try disk.open(entry.name, .read))
            try copy.takePlace()
            core.withLock { $0.replace(fresh) }
            try disk.synchronizeNames()
        } catch {
            Self.tryToRemove(entry.name + SegmentFormat.temporarySuffix, on: disk)
        }
    }
}

extension SegmentDraft {
    fileprivate func holds(_ sessions: Set<SessionID>, before end: UInt64) -> Bool {
        header.firstOffset < end && index.parts.contains { sessions.contains($0.session) }
    }
}

extension LogCore {
    /// Whether one of the sessions has a record before an offset.
    fileprivate func holdsAny(of sessions: Set<SessionID>, before end: UInt64) -> Bool {
        sessions.contains { session in
            guard let first = places.places(of: session).first,
                let part = entries[first.segment]?.index.parts[first.part]
            else { return false }
            return part.firstOffset < end
        }
    }

    /// Begins a new segment if one that contains the sessions is being filled, also after a
    /// takeover.
    ///
    /// - Returns: Whether all their records before `end` are sealed; `false` while not writing.
    fileprivate mutating func rollPast(_ sessions: Set<SessionID>, before end: UInt64) -> Bool {
        guard state == .writing else { return false }
        if draft.holds(sessions, before: end) { roll() }
        return !rolls.contains { $0.draft.holds(sessions, before: end) }
    }
}
