import SensorModel

extension LogCore {
    enum WriteWork {
        case nothing
        /// The descriptor is in a call of the other thread that must come back first.
        case waitForOther
        case write(Chunk, any DiskFile)
        case roll(Roll, any DiskFile)
        case takeOver(SegmentHeader, bytes: Int, after: DiskError)
    }

    struct SyncWork {
        var file: any DiskFile
        /// That nothing has synced before.
        var records: Int
        fileprivate var segment: UInt64
        fileprivate var endOffset: UInt64
        fileprivate var endPosition: Int
        fileprivate var chunks: Int
    }

    /// More than this is written beside a running sync; less waits for it and goes with the next.
    private static var worthwhileBytes: Int { Chunk.capacity / 2 }
    /// So much does not wait for the gap between two syncs to pass.
    static var groupBytes: Int { 16 << 10 }

    /// Whether that much waits to be durable.
    var hasGroup: Bool {
        configuration.durability == .always && pendingBytes >= Self.groupBytes
    }

    /// Whether what was appended is to be written now, or waits to be written with more.
    var isCurrentDue: Bool {
        guard isFlushWanted, line.current.count > 0 else { return false }
        if configuration.durability != .always { return true }
        if line.current.count >= Self.worthwhileBytes { return true }
        return !isSyncing && (!isGathering || line.current.count >= Self.groupBytes)
    }

    /// What the thread that syncs writes itself, rather than wake the writer to be woken by it:
    /// what was appended, where nothing has to be written before.
    var isCommitDue: Bool {
        configuration.durability == .always && state == .writing && !isSyncing
            && rolls.isEmpty && line.filled.isEmpty && isCurrentDue
    }

    /// For the thread that syncs; `nil`: it has nothing to write, or the writer is at it.
    mutating func nextCommit() -> (chunk: Chunk, file: any DiskFile)? {
        guard isCommitDue, !isWriting, let file, let chunk = takeCurrent() else { return nil }
        return (chunk, file)
    }

    /// For the writer.
    mutating func nextWrite() -> WriteWork {
        switch state {
        case .closed:
            return .nothing
        case .failed(let error):
            return isSyncing || isWriting ? .waitForOther : planTakeover(after: error)
        case .writing:
            break
        }
        guard !isWriting else { return .waitForOther }
        guard let file, let active = entries.last?.number else { return .nothing }
        if let chunk = line.filled.first, chunk.header.number == active {
            line.filled.removeFirst()
            isWriting = true
            return .write(chunk, file)
        }
        if let roll = rolls.first {
            guard !isSyncing else { return .waitForOther }
            // The roll syncs too. An error is reported once: two syncs at a time on a descriptor
            // could tell the wrong one.
            isSyncing = true
            return .roll(roll, file)
        }
        guard isFlushWanted, line.current.count > 0 else { return .nothing }
        guard isCurrentDue else { return .waitForOther }
        guard let chunk = takeCurrent() else { return .nothing }
        return .write(chunk, file)
    }

    private mutating func takeCurrent() -> Chunk? {
        guard let chunk = line.takeCurrent() else { return nil }
        isFlushWanted = false
        isWriting = true
        return chunk
    }

    /// Whether the writer would find nothing to do, or only what the thread that syncs does.
    var isWriterContent: Bool {
        state == .writing && rolls.isEmpty && line.filled.isEmpty
            && (!isCurrentDue || isCommitDue)
    }

    mutating func wrote(_ chunk: consuming Chunk) {
        isWriting = false
        guard state == .writing else {
            retain(chunk)
            return
        }
        writtenEnd = chunk.endOffset
        writtenPosition = chunk.endPosition
        if configuration.durability.isDurable {
            retain(chunk)
        } else {
            durableEnd = writtenEnd
            line.recycle(chunk)
        }
    }

    /// Seals follow one another; the next segment is the one being written now.
    mutating func rolled(_ roll: Roll, onto next: any DiskFile, sealedBytes: Int) {
        isSyncing = false
        guard state == .writing else { return }
        for chunk in retained { line.recycle(chunk) }
        retained = []
        retainedBytes = 0
        durableEnd = max(durableEnd, writtenEnd)
        rolls.removeFirst()
        sealLast(roll.draft, bytes: sealedBytes)
        entries.append(Self.entry(of: roll.next))
        file = next
        isPreallocated = false
        writtenPosition = SegmentFormat.recordsStart
        durablePosition = SegmentFormat.recordsStart
    }

    /// The segment being written is sealed now.
    mutating func sealLast(_ draft: SegmentDraft, bytes: Int) {
        guard var sealed = entries.last else { return }
        sealed.index = draft.index
        sealed.isSealed = true
        sealed.recordsEnd = draft.position
        sealed.bytes = bytes
        sealed.dropMarks()
        entries.last = sealed
        places.add(sealed)
    }

    /// `nil`: there is nothing to sync, or a sync is running.
    mutating func nextSync() -> SyncWork? {
        guard state == .writing, !isSyncing, let file, let active = entries.last?.number,
            writtenPosition > durablePosition
        else { return nil }
        isSyncing = true
        return SyncWork(
            file: file, records: retained.reduce(0) { $0 + $1.records }, segment: active,
            endOffset: writtenEnd, endPosition: writtenPosition,
            chunks: retained.count)
    }

    mutating func synced(_ work: SyncWork) {
        isSyncing = false
        // A write failed meanwhile: the descriptor is not believed any more.
        guard state == .writing else { return }
        durablePosition = work.endPosition
        if draft.header.number == work.segment { draft.durableBytes = work.endPosition }
        guard configuration.durability.isDurable else { return }
        durableEnd = work.endOffset
        for chunk in retained[..<work.chunks] {
            retainedBytes -= chunk.count
            line.recycle(chunk)
        }
        retained.removeFirst(work.chunks)
    }

    /// A call on the segment's descriptor, or for its successor, has failed; `chunk` is what was
    /// being written, `endingSync`: it was a sync, or a seal. Between the end of a sync and this the
    /// other thread must not use the descriptor: it would be told of success.
    mutating func fail(
        _ error: DiskError, writing chunk: consuming Chunk? = nil, endingSync: Bool = false
    ) {
        if endingSync { isSyncing = false }
        if let chunk = consume chunk {
            isWriting = false
            retain(chunk)
        }
        guard state == .writing else { return }
        guard var failed = entries.last else { preconditionFailure("writing without a segment") }
        failed.index = activeIndex
        failed.index.endOffset = durableEnd
        failed.recordsEnd =
            configuration.durability.isDurable ? durablePosition : writtenPosition
        failed.bytes = failed.recordsEnd
        entries.last = failed
        places.add(failed)
        // Readers see no more than this until another segment holds the rest.
        writtenEnd = durableEnd
        state = .failed(error)
        file = nil
    }

    private mutating func retain(_ chunk: consuming Chunk) {
        retainedBytes += chunk.count
        retained.append(chunk)
    }
}
