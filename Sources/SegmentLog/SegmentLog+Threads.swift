import SensorModel
import Synchronization

extension SegmentLog {
    private static let probeMicroseconds = 100_000...5_000_000

    /// Starts the writer and the sync thread.
    ///
    /// - Throws: ``SegmentLogError/notWriting`` if the system cannot create a thread.
    public func start() throws(SegmentLogError) {
        var started: [LogThread] = []
        let runs: [@Sendable () -> Void] = [
            { self.writeUntilStopped() }, { self.syncUntilStopped() },
        ]
        for run in runs {
            guard let thread = LogThread(run: run) else { throw .notWriting }
            started.append(thread)
        }
        let threadsStarted = started
        threads.withLock { $0 = threadsStarted }
    }

    /// Without threads: writes and syncs appended records. With threads: waits until they have done
    /// so, or the log has failed.
    public func settle() {
        flush()
        if threads.withLock({ $0.isEmpty }) {
            stepUntilIdle()
            return
        }
        while !isSettled {
            settledWakeup.wait(timeoutMicroseconds: 2000)
            flush()
        }
    }

    /// Whether the core has settled and the durable end is published.
    private var isSettled: Bool {
        core.withLock { core in
            guard core.isSettled, core.state == .writing else { return core.isSettled }
            return published.durableEnd.load(ordering: .acquiring) >= core.durableEnd
        }
    }

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
        // Without it the next start only takes longer.
        do throws(SegmentLogError) { try saveCatalog() } catch {}
        // Waits for records that will not be written any more are ended.
        publish()
        releaseFolder()
    }

    func stepUntilIdle() {
        var triedAt: UInt64?
        while true {
            if case .failed = state {
                // A disk may take a new segment's header and none of its records.
                guard triedAt != durableEnd.rawValue else { return }
                triedAt = durableEnd.rawValue
            }
            let wrote = writeStep()
            if case .failed = wrote { return }
            let synced = syncStep()
            if case .idle = wrote, case .idle = synced { return }
        }
    }

    private func writeUntilStopped() {
        var probe = Self.probeMicroseconds.lowerBound
        var triedAt: UInt64?
        while !isStopping.load(ordering: .acquiring) {
            if case .failed = state {
                // A new segment alone is no progress; a durable record is.
                if triedAt == durableEnd.rawValue {
                    pause(microseconds: probe)
                    probe = min(probe * 2, Self.probeMicroseconds.upperBound)
                } else {
                    probe = Self.probeMicroseconds.lowerBound
                }
                triedAt = durableEnd.rawValue
            }
            if case .idle = writeStep() { writerWakeup.wait() }
        }
    }

    /// Pauses the writer. Only ``close()`` ends the pause early.
    private func pause(microseconds: Int) {
        let end = LogThread.monotonicMicroseconds() + microseconds
        while !isStopping.load(ordering: .acquiring) {
            let left = end - LogThread.monotonicMicroseconds()
            guard left > 0 else { return }
            writerWakeup.wait(timeoutMicroseconds: left)
        }
    }

    private func syncUntilStopped() {
        guard configuration.durability != .os else { return }
        while !isStopping.load(ordering: .acquiring) {
            commitStep()
            guard core.withLock({ $0.isSyncWanted }) else {
                syncWakeup.wait()
                continue
            }
            if case .interval(let milliseconds) = configuration.durability {
                rest(microseconds: milliseconds * 1000)
            }
            let (took, records) = synchronize(gathering: true) ?? (0, 0)
            let gap = configuration.syncGapMicroseconds(after: records, took: took)
            rest(microseconds: gap - took)
            core.withLock { $0.isGathering = false }
        }
    }

    /// Sleeps until the time is over, or the pending bytes justify a sync of their own.
    private func rest(microseconds: Int) {
        let end = LogThread.monotonicMicroseconds() + microseconds
        while true {
            let left = end - LogThread.monotonicMicroseconds()
            let isOver = left <= 0 || isStopping.load(ordering: .acquiring)
            let isResting = core.withLock { core in
                core.isResting = !isOver && !core.hasGroup
                return core.isResting
            }
            guard isResting else { return }
            syncWakeup.wait(timeoutMicroseconds: left)
        }
    }

    /// Writes the only seal without a successor, which marks a clean end of the log. After a
    /// failure the segment stays open, and the next start repairs it.
    private func sealLast() {
        guard let (draft, file) = core.withLock({ $0.lastToSeal }) else { return }
        do throws(DiskError) {
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
    /// Whether all records are on disk and full segments are sealed, or no progress is possible.
    var isSettled: Bool {
        guard state == .writing else { return true }
        return pendingBytes == 0 && rolls.isEmpty && durableEnd == nextOffset
    }

    /// `nil` if the disk has failed or the log is closed.
    var lastToSeal: (SegmentDraft, any DiskFile)? {
        guard state == .writing, rolls.isEmpty, pendingBytes == 0, let file else { return nil }
        return (draft, file)
    }

    /// Whether the segment being written adds nothing to the one before it.
    var isLastRedundant: Bool {
        draft.index.records == 0
            && entries.beforeLast?.index.endOffset == draft.header.firstOffset
    }

    var isSyncWanted: Bool {
        state == .writing && !isSyncing && writtenPosition > durablePosition
    }

    mutating func closed(sealedBytes: Int?) {
        file = nil
        state = .closed
        if let sealedBytes { sealLast(draft, bytes: sealedBytes) } else { entries.removeLast() }
    }
}
