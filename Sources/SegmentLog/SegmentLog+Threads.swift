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

    /// Writes and syncs appended records.
    ///
    /// If the threads run, it waits until they have done so or the log has failed.
    public func syncAppended() {
        flush()
        if threads.withLock({ $0.isEmpty }) {
            stepUntilIdle()
            return
        }
        while !isSynced {
            settledWakeup.wait(timeoutMicroseconds: 2000)
            flush()
        }
    }

    /// Whether the core has settled and the durable end is published.
    private var isSynced: Bool {
        core.withLock { core in
            guard core.isSynced, core.state == .writing else { return core.isSynced }
            return published.durableEnd.load(ordering: .acquiring) >= core.durableEnd
        }
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
}

extension LogCore {
    /// Whether all records are on disk and full segments are sealed, or no progress is possible.
    var isSynced: Bool {
        guard state == .writing else { return true }
        return pendingBytes == 0 && rolls.isEmpty && durableEnd == nextOffset
    }

    var isSyncWanted: Bool {
        state == .writing && !isSyncing && writtenPosition > durablePosition
    }
}
