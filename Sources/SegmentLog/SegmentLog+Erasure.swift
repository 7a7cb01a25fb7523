import Glibc
public import SensorModel
import Synchronization

extension SegmentLog {
    /// Rewrites every segment that holds one of `sessions` without them; their offsets become
    /// explicit gaps. The caller has stopped appending to them.
    ///
    /// The fresh file is synced before it takes the old one's name; then the old bytes are
    /// overwritten. Places that were damaged are left out with them: nobody can say whose they
    /// were.
    ///
    /// - Throws: ``SegmentLogError``; what was not erased yet can be asked for again.
    public func erase(_ sessions: Set<SessionID>) throws(SegmentLogError) -> Erasure {
        try sealActive(ifHolding: sessions)
        var erasure = Erasure()
        var failure: SegmentLogError?
        upkeep.withLock { _ in
            let entries = core.withLock { $0.catalog() }
            erasure.sessions =
                Set(
                    entries.lazy.flatMap(\.index.parts).map(\.session).filter(sessions.contains)
                ).count
            // A segment that a failure left open is rewritten too; only the last is in use.
            let active = core.withLock { $0.state == .writing ? $0.entries.last?.number : nil }
            for entry in entries where entry.number != active && entry.holds(sessions) {
                do throws(DiskError) {
                    let fresh = try rewrite(entry, without: sessions)
                    erasure.segments += 1
                    erasure.records += Int(entry.index.records) - Int(fresh.index.records)
                    erasure.bytes += entry.bytes - fresh.bytes
                } catch {
                    failure = .disk(error)
                    return
                }
            }
            // Also those of an attempt before that got no further.
            do throws(DiskError) { try disk.synchronizeNames() } catch { failure = .disk(error) }
        }
        if let failure { throw failure }
        return erasure
    }

    /// What is being written can be rewritten only once it is sealed. Others may go on appending:
    /// this does not wait for them, nor for a session that comes back meanwhile.
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
            // Without threads; or they have just been ended, and who ends them writes the rest.
            guard !isStopping.load(ordering: .acquiring), stepsLeft > 0 else { throw .notWriting }
            stepsLeft -= 1
            stepUntilIdle()
        }
    }

    private func rewrite(
        _ entry: SegmentEntry, without sessions: Set<SessionID>
    ) throws(DiskError) -> SegmentEntry {
        guard var header = entry.header else { return entry }
        let old = try disk.open(entry.name, .write)
        var walk = SegmentWalk(
            file: old, header: header, end: entry.recordsEnd, parts: entry.index.parts)
        header.generation += 1
        try Self.removeIfThere(entry.name + SegmentFormat.temporarySuffix, on: disk)
        var rewrite = try SegmentRewrite(header, on: disk)
        copying: while true {
            switch try walk.next() {
            case .record(let record, let offset):
                guard let owner = walk.owner(of: record.session) else {
                    rewrite.skip(to: offset + 1, reason: .damaged)
                    continue
                }
                guard !sessions.contains(owner.session) else {
                    rewrite.omit(offset)
                    continue
                }
                try rewrite.append(
                    record, offset: offset, owner: owner,
                    payload: walk.window.span.extracting(walk.payload))
            case .hole(let gap):
                rewrite.skip(to: gap.to.rawValue, reason: gap.reason)
            case .damaged:
                let gap = try walk.resume(endOffset: entry.index.endOffset)
                rewrite.skip(
                    to: gap?.to.rawValue ?? entry.index.endOffset, reason: .damaged)
                if gap == nil { break copying }
            case .end:
                break copying
            }
        }
        let fresh = try rewrite.seal()
        try voidInCatalog(entry.number)
        try rewrite.takePlace()
        // At once, whatever fails below: the file of this name has another header from here on, and
        // who read it with the old one would find nothing in it.
        core.withLock { $0.replace(fresh) }
        try disk.synchronizeNames()
        // A segment that failed is longer than what counts of it.
        try overwrite(old, bytes: max(entry.bytes, try old.size()))
        return fresh
    }

    /// The old file has no name any more; this is for who reads the raw disk, and for readers that
    /// still hold it open.
    private func overwrite(_ file: any DiskFile, bytes: Int) throws(DiskError) {
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
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
        index.parts.contains { sessions.contains($0.session) }
    }
}

extension LogCore {
    /// Begins a new segment where one that has them is being filled, also one that took over.
    ///
    /// - Returns: Whether what holds something of them, recorded before `end`, is sealed; `false`
    ///   while nothing is written.
    fileprivate mutating func rollPast(_ sessions: Set<SessionID>, before end: UInt64) -> Bool {
        guard state == .writing else { return false }
        if draft.holds(sessions, before: end) { roll() }
        return !rolls.contains { $0.draft.holds(sessions, before: end) }
    }
}
