extension LogCore {
    enum WriteWork {
        case nothing
        /// The other thread is in a call on the descriptor, which must return first.
        case waitForOther
        case write(Chunk, any DiskFile)
        case roll(Roll, any DiskFile)
        case takeOver(SegmentHeader, bytes: Int, after: DiskError)
    }

    /// More bytes than this are written during a running sync; fewer wait for it and are written
    /// with the next.
    private static var worthwhileBytes: Int { Chunk.capacityMax / 2 }
    /// This many pending bytes are written before the gap between two syncs has passed.
    static var groupBytes: Int { 16 << 10 }

    /// Whether at least ``groupBytes`` wait to be durable.
    var hasGroup: Bool {
        configuration.durability == .always && pendingBytes >= Self.groupBytes
    }

    /// Whether appended bytes must be written now, or can wait to be written with more.
    var isCurrentDue: Bool {
        guard isFlushWanted, line.current.count > 0 else { return false }
        if configuration.durability != .always { return true }
        if line.current.count >= Self.worthwhileBytes { return true }
        return !isSyncing && (!isGathering || line.current.count >= Self.groupBytes)
    }

    /// Whether the sync thread writes the appended bytes itself. It does if nothing must be written
    /// before them; this saves waking the writer and being woken by it.
    var isCommitDue: Bool {
        configuration.durability == .always && state == .writing && !isSyncing
            && rolls.isEmpty && line.filled.isEmpty && isCurrentDue
    }

    /// Work for the sync thread; `nil`: there is nothing to write, or the writer is writing.
    mutating func nextCommit() -> (chunk: Chunk, file: any DiskFile)? {
        guard isCommitDue, !isWriting, let file, let chunk = takeCurrent() else { return nil }
        return (chunk, file)
    }

    /// Work for the writer thread.
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
            // The roll also syncs. The kernel reports an error once per descriptor: with two
            // concurrent syncs, the wrong one could receive it.
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

    /// Whether the writer has no work, except work that the sync thread does.
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

    /// Notes a completed roll: the next segment is now being written. Rolls complete in order.
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

    /// Marks the segment being written as sealed.
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

    /// Notes a failed call on the segment's descriptor or for its successor.
    ///
    /// `chunk` is the chunk that was being written. `endingSync` says that the call was a sync or a
    /// seal. Between a failed sync and this call the other thread must not use the descriptor: its
    /// own sync would falsely succeed.
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
