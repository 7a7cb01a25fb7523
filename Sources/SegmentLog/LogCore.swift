import SensorModel

/// The writing side of the log as a pure state machine.
///
/// It turns appends into chunks, says what is to be written, synced or sealed next, and is told
/// how that went. It does no I/O and knows no thread; ``SegmentLog`` does what it says.
///
///     append ─► line.current ─► line.filled ─write─► retained ─sync─► durable
///                                  │ any failure: the descriptor is dropped
///                                  └─► a new segment starts at the first offset not durable,
///                                      and everything not durable is encoded for it again
struct LogCore: Sendable {
    /// A segment that is full: sealed once its last chunk is written.
    struct Roll: Sendable {
        var draft: SegmentDraft
        var next: SegmentHeader
    }

    let configuration: LogConfiguration
    let epoch: UInt32
    var state = LogState.writing
    /// All segments, oldest first; while writing the last is the one being written.
    var entries: SegmentList
    /// Of all segments but the one being written.
    var places: SessionPlaces
    /// The segment being filled: that being written, or one that follows it after rolls.
    var draft: SegmentDraft
    var line: ChunkLine
    var rolls: [Roll] = []
    /// Of the segment being written; `nil` after a failure.
    var file: (any DiskFile)?
    /// Whether a segment of this run has been on disk. Before, no number may be given out: a kill
    /// would not leave a trace of it, and the next start would give it out again.
    var hasBegun: Bool
    /// Written, not synced, in order: what a new segment needs if the sync fails.
    var retained: [Chunk] = []
    var retainedBytes = 0
    /// Of sessions that this run has introduced.
    var devices: [SessionID: DeviceID] = [:]

    var writtenEnd: UInt64
    var durableEnd: UInt64
    /// Of the segment being written.
    var writtenPosition = SegmentFormat.recordsStart
    var durablePosition = SegmentFormat.recordsStart
    var isFlushWanted = false
    var isSyncing = false
    /// A chunk is on its way to the disk: what follows it must not overtake it.
    var isWriting = false
    /// The thread that syncs sleeps until its time is over or ``hasGroup``.
    var isResting = false
    /// Between two syncs: what is appended meanwhile is written with one call, by one wake-up.
    var isGathering = false
    var lastNumber: UInt64
    var latestArrival: Int64
    /// Smaller than the configured one while writing into the reserve.
    var segmentBytesMax: Int
    /// Whether the file is longer than what is written, and must be cut when it is sealed.
    var isPreallocated = false

    /// `file` is that of `header`'s segment; `nil`: there is none, and `state` says why.
    init(
        configuration: LogConfiguration, entries: [SegmentEntry], header: SegmentHeader,
        file: (any DiskFile)?, state: LogState
    ) {
        self.state = state
        self.configuration = configuration
        epoch = header.epoch
        self.entries = SegmentList(entries)
        places = SessionPlaces(self.entries)
        draft = SegmentDraft(header: header)
        line = ChunkLine(
            header: header, position: SegmentFormat.recordsStart, offset: header.firstOffset)
        self.file = file
        hasBegun = file != nil
        writtenEnd = header.firstOffset
        durableEnd = header.firstOffset
        lastNumber = header.number
        latestArrival = header.arrivalBase
        segmentBytesMax = configuration.segmentBytesMax
        // A log that begins with a failure has no segment until one takes over.
        if file != nil { self.entries.append(Self.entry(of: header)) }
    }

    /// The offset that the next record has at least.
    var nextOffset: UInt64 { draft.offset }

    /// Bytes in memory that are not on disk.
    var pendingBytes: Int { line.pendingBytes + retainedBytes }

    func hasRoom(for payloadBytes: Int) -> Bool {
        hasBegun && state != .closed
            && pendingBytes + SegmentDraft.bytesAtMost(payloadBytes: payloadBytes)
                <= configuration.pendingBytesMax
    }

    mutating func append(
        _ record: RawRecord, of session: SessionID, payload: Span<UInt8>
    ) -> RecordOffset? {
        guard hasRoom(for: payload.count) else { return nil }
        latestArrival = record.arrivalTime
        if !draft.fits(
            payloadBytes: payload.count, arrivalTime: record.arrivalTime,
            bytesMax: segmentBytesMax)
        {
            roll()
        }
        let offset = draft.offset(arrivalTime: record.arrivalTime)
        let device = draft.isIntroduced(session) ? nil : device(of: session)
        draft.append(record, at: offset, of: session, device: device, payload: payload, to: &line)
        return RecordOffset(rawValue: offset)
    }

    /// What follows goes into a new segment.
    mutating func roll() {
        lastNumber += 1
        let next = SegmentHeader(
            epoch: epoch, number: lastNumber, previous: draft.header.number,
            firstOffset: draft.offset, arrivalBase: latestArrival, generation: 0)
        rolls.append(Roll(draft: draft, next: next))
        begin(next)
        segmentBytesMax = configuration.segmentBytesMax
    }

    /// The segments as a reader may see them now.
    func catalog() -> SegmentList {
        var list = entries
        if let active { list.last = active }
        return list
    }

    /// The segment being written as a reader may see it now.
    private var active: SegmentEntry? {
        guard state == .writing, var active = entries.last else { return nil }
        active.index = activeIndex
        active.index.endOffset = writtenEnd
        active.recordsEnd = writtenPosition
        active.bytes = writtenPosition
        return active
    }

    /// The segments that hold something of a session, as a reader may see them now.
    func entries(holding session: SessionID) -> [SegmentEntry] {
        var found = places.numbers(of: session).compactMap { entries[$0] }
        if isActive(session), let active { found.append(active) }
        return found
    }

    /// Whether the segment being written holds something of a session.
    func isActive(_ session: SessionID) -> Bool {
        state == .writing && (rolls.first?.draft ?? draft).isIntroduced(session)
    }

    /// A segment is what it is from here on, or its file is another now.
    mutating func replace(_ entry: SegmentEntry) {
        guard let old = entries[entry.number] else { return }
        places.remove(old)
        entries.replace(entry)
        places.add(entry)
    }

    /// - Returns: How many sessions are gone with it.
    mutating func forget(_ number: UInt64) -> Int {
        guard let old = entries[number] else { return 0 }
        entries.remove(number)
        return places.remove(old).count { !isActive($0) }
    }

    /// Of the segment being written; may be ahead of what is written.
    var activeIndex: SegmentIndex { rolls.first?.draft.index ?? draft.index }

    mutating func begin(_ header: SegmentHeader) {
        draft = SegmentDraft(header: header)
        line.begin(header, position: SegmentFormat.recordsStart, offset: header.firstOffset)
    }

    static func entry(of header: SegmentHeader) -> SegmentEntry {
        SegmentEntry(
            number: header.number, header: header, bytes: SegmentFormat.recordsStart,
            recordsEnd: SegmentFormat.recordsStart,
            index: SegmentIndex(firstOffset: header.firstOffset))
    }

    private func device(of session: SessionID) -> DeviceID? {
        if let device = devices[session] { return device }
        guard let number = places.numbers(of: session).last else { return nil }
        return entries[number]?.index.parts.last { $0.session == session }?.device
    }
}
