import Glibc
import SensorModel
import Synchronization

/// The work of the two threads as single steps. Without threads ``syncAppended()`` runs them in
/// place.
extension SegmentLog {
    package enum Step {
        case worked
        case idle
        /// The disk still fails; the caller tries again later.
        case failed
    }

    package func writeStep() -> Step {
        switch core.withLock({ $0.nextWrite() }) {
        case .nothing, .waitForOther:
            return .idle
        case .write(let chunk, let file):
            write(chunk, to: file)
            return .worked
        case .roll(let roll, let file):
            perform(roll, sealing: file)
            return .worked
        case .takeOver(let header, let bytes, let error):
            return takeOver(header, bytes: bytes, after: error) ? .worked : .failed
        }
    }

    /// Writes appended bytes before a sync, on the sync thread.
    ///
    /// - Returns: Whether there was work.
    @discardableResult
    package func commitStep() -> Step {
        guard let (chunk, file) = core.withLock({ $0.nextCommit() }) else { return .idle }
        write(chunk, to: file)
        // Bytes appended meanwhile may need the writer, which did not wake because this thread was
        // writing.
        if !core.withLock({ $0.isWriterContent }) { writerWakeup.wake() }
        return .worked
    }

    /// - Returns: Whether there was something to sync.
    package func syncStep() -> Step {
        synchronize(gathering: false) == nil ? .idle : .worked
    }

    /// - Parameter gathering: Whether appends from here on are held back until the caller ends the
    ///   gathering.
    /// - Returns: Duration of the sync in microseconds and its number of records, 0 after a
    ///   failure; `nil`: there was nothing to sync.
    func synchronize(gathering: Bool) -> (took: Int, records: Int)? {
        guard let work = core.withLock({ $0.nextSync() }) else { return nil }
        let start = LogThread.monotonicMicroseconds()
        var (took, records) = (0, 0)
        do throws(DiskError) {
            try work.file.synchronize()
            took = LogThread.monotonicMicroseconds() - start
            records = work.records
            core.withLock {
                $0.synced(work)
                $0.isGathering = gathering
            }
            observer.synced(took)
        } catch {
            fail(error, endingSync: true)
        }
        // A write may have waited for this sync: a full buffer, a new segment, a takeover.
        if !core.withLock({ $0.isWriterContent }) { writerWakeup.wake() }
        publish()
        return (took, records)
    }

    /// Publishes the log's progress to readers, waits and the observer.
    func publish() {
        let (isAdvance, ended) = publishing.withLock { waiters in
            let (written, durable) = core.withLock { ($0.writtenEnd, $0.durableEnd) }
            published.writtenEnd.store(written, ordering: .releasing)
            let isAdvance = durable > published.durableEnd.load(ordering: .relaxed)
            if isAdvance { published.durableEnd.store(durable, ordering: .releasing) }
            return (isAdvance, takeEnded(&waiters))
        }
        if isAdvance { observer.durableAdvanced(durableEnd) }
        settledWakeup.wake()
        tell(ended)
    }

    private func write(_ chunk: Chunk, to file: any DiskFile) {
        do throws(DiskError) {
            try file.writeAll(
                chunk.bytes.span.extracting(first: chunk.count), at: chunk.position)
            core.withLock { $0.wrote(chunk) }
        } catch {
            fail(error, writing: chunk)
        }
        // If these few bytes do not end the pause of the sync thread, it continues.
        if core.withLock({ !$0.isResting || $0.hasGroup }) { syncWakeup.wake() }
        publish()
    }

    private func fail(_ error: DiskError, writing chunk: Chunk? = nil, endingSync: Bool = false) {
        core.withLock { $0.fail(error, writing: chunk, endingSync: endingSync) }
        tellState()
        writerWakeup.wake()
        settledWakeup.wake()
    }

    /// Calls the observer when the log has failed and when it writes again. The two may happen on
    /// different threads; the lock makes the last call match the current state.
    func tellState() {
        toldFailure.withLock { isTold in
            let state = core.withLock { $0.state }
            let isFailure = if case .failed = state { true } else { false }
            guard isFailure != isTold else { return }
            isTold = isFailure
            observer.stateChanged(state)
        }
    }

    /// Creates the new segment first and seals second. A seal without a successor would look like a
    /// clean end, and the next start would reuse offsets that viewers have seen.
    private func perform(_ roll: LogCore.Roll, sealing file: any DiskFile) {
        do throws(DiskError) {
            let next = try Self.create(roll.next, on: disk)
            let bytes = try seal(roll.draft, in: file)
            core.withLock { $0.rolled(roll, onto: next, sealedBytes: bytes) }
            setReserveAside()
        } catch {
            // The new file stays until another follows: without it a seal that reached the disk
            // would look like a clean end.
            _ = abandoned.withLock { $0.insert(roll.next.number) }
            fail(error, endingSync: true)
        }
        syncWakeup.wake()
        publish()
    }

    /// Writes index and trailer, and syncs; the sync covers the records too.
    ///
    /// - Returns: The file's size.
    func seal(_ draft: SegmentDraft, in file: any DiskFile) throws(DiskError) -> Int {
        let seal = draft.seal()
        try file.writeAll(seal.bytes.span, at: seal.position)
        if core.withLock({ $0.isPreallocated }) { try file.truncate(to: seal.endPosition) }
        try file.synchronize()
        return seal.endPosition
    }

    /// - Returns: Whether the log writes again.
    private func takeOver(_ header: SegmentHeader, bytes: Int, after error: DiskError) -> Bool {
        let isFull = error.trouble.endsWithRoom
        makeLeftOpenDurable()
        do throws(DiskError) {
            if isFull, let file = try createFromReserve(header) {
                let reserve = max(4096, configuration.reserveBytes)
                core.withLock {
                    $0.tookOver(header, file: file, bytesMax: reserve, isPreallocated: true)
                }
            } else {
                let file = try disk.open(header.fileName, .create)
                // A disk that takes an empty file may have no space for the waiting records.
                if isFull { try file.preallocate(bytes + bytes / 4 + (64 << 10)) }
                try file.writeAll(header.bothCopies.span, at: 0)
                try file.synchronize()
                try disk.synchronizeNames()
                core.withLock {
                    $0.tookOver(header, file: file, bytesMax: nil, isPreallocated: isFull)
                }
            }
        } catch {
            core.withLock {
                if case .failed = $0.state { $0.state = .failed(error) }
            }
            abandon(header)
            settledWakeup.wake()
            return false
        }
        tellState()
        publish()
        return true
    }

    /// `nil` if no reserve is left.
    private func createFromReserve(_ header: SegmentHeader) throws(DiskError) -> (any DiskFile)? {
        do throws(DiskError) {
            try disk.rename(SegmentFormat.reserveName, to: header.fileName)
        } catch {
            guard error.number == ENOENT else { throw error }
            return nil
        }
        let file = try disk.open(header.fileName, .write)
        try file.writeAll(header.bothCopies.span, at: 0)
        try file.synchronize()
        try disk.synchronizeNames()
        return file
    }

    /// Removes the segment's file now if possible, else with the next repair or at the next start.
    func abandon(_ header: SegmentHeader) {
        _ = abandoned.withLock { $0.insert(header.number) }
        Self.tryToRemove(header.fileName, on: disk)
    }

    /// Removes the files of segments that a failing disk left without records and that another
    /// segment follows. Once the segments around them are gone, a start would take them for lost.
    func removeAbandoned() throws(DiskError) {
        let newest = core.withLock { $0.entries.last?.number ?? 0 }
        let numbers = abandoned.withLock { $0.filter { $0 < newest }.sorted() }
        guard !numbers.isEmpty else { return }
        var failure: DiskError?
        var removed: [UInt64] = []
        for number in numbers {
            do throws(DiskError) {
                try Self.removeIfThere(SegmentFormat.fileName(of: number), on: disk)
                removed.append(number)
            } catch { failure = failure ?? error }
        }
        try disk.synchronizeNames()
        abandoned.withLock { $0.subtract(removed) }
        if let failure { throw failure }
    }
}
