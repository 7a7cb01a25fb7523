import Synchronization

extension SegmentLog {
    /// Flushes, syncs, seals the segment and releases the folder. Idempotent.
    public func close() {
        isStopping.store(true, ordering: .releasing)
        writerWakeup.wake()
        syncWakeup.wake()
        let running = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
        core.withLock { $0.isFlushWanted = true }
        stepUntilIdle()
        sealLast()
        core.withLock { $0.state = .closed }
        // A failure only makes the next start take longer.
        do throws(SegmentLogError) { try saveCatalog() } catch {}
        // This ends the waits for records that will not be written any more.
        publish()
        releaseFolder()
    }

    /// Writes the only seal without a successor, which marks a clean end of the log. After a
    /// failure the segment stays open, and the next start repairs it.
    private func sealLast() {
        guard let (draft, file) = core.withLock({ $0.lastToSeal }) else { return }
        do throws(DiskError) {
            try removeAbandoned()
            if core.withLock({ $0.isLastRedundant }) {
                try disk.remove(draft.header.fileName)
                try disk.synchronizeNames()
                core.withLock { $0.closed(sealedBytes: nil) }
            } else {
                let bytes = try seal(draft, in: file)
                core.withLock { $0.closed(sealedBytes: bytes) }
            }
        } catch {
            core.withLock { $0.fail(error) }
        }
        publish()
    }
}

extension LogCore {
    /// `nil` if the disk has failed or the log is closed.
    var lastToSeal: (SegmentDraft, any DiskFile)? {
        guard state == .writing, rolls.isEmpty, pendingBytes == 0, let file else { return nil }
        return (draft, file)
    }

    /// Whether the segment being written adds nothing to the one before it, whose seal then marks
    /// the clean end. The seal of a rewritten segment does not mark it.
    var isLastRedundant: Bool {
        guard draft.index.records == 0, let previous = entries.beforeLast else { return false }
        return previous.index.endOffset == draft.header.firstOffset && previous.isSealed
            && previous.header?.generation == 0
    }

    mutating func closed(sealedBytes: Int?) {
        file = nil
        state = .closed
        if let sealedBytes { sealLast(draft, bytes: sealedBytes) } else { entries.removeLast() }
    }
}
