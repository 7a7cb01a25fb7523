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
    var entries: [SegmentEntry]
    /// The segment being filled: that being written, or one that follows it after rolls.
    var draft: SegmentDraft
    var line: ChunkLine
    var rolls: [Roll] = []
    /// Of the segment being written; `nil` after a failure.
    var file: (any DiskFile)?
    /// Written, not synced, in order: what a new segment needs if the sync fails.
    var retained: [Chunk] = []
    var retainedBytes = 0
    var devices: [SessionID: DeviceID]

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

    init(
        configuration: LogConfiguration, entries: [SegmentEntry], header: SegmentHeader,
        file: any DiskFile
    ) {
        self.configuration = configuration
        epoch = header.epoch
        self.entries = entries
        draft = SegmentDraft(header: header)
        line = ChunkLine(
            header: header, position: SegmentFormat.recordsStart, offset: header.firstOffset)
        self.file = file
        devices = [:]
        for part in entries.lazy.flatMap(\.index.parts) { devices[part.session] = part.device }
        writtenEnd = header.firstOffset
        durableEnd = header.firstOffset
        lastNumber = header.number
        latestArrival = header.arrivalBase
        segmentBytesMax = configuration.segmentBytesMax
        self.entries.append(Self.entry(of: header))
    }

    /// The number the next record gets.
    var nextOffset: UInt64 { draft.offset }

    /// Bytes in memory that are not on disk.
    var pendingBytes: Int { line.pendingBytes + retainedBytes }

    func hasRoom(for payloadBytes: Int) -> Bool {
        state != .closed
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
        let offset = draft.offset
        let devices = self.devices
        draft.append(
            record, of: session, device: Self.device(of: session, in: devices),
            payload: payload, to: &line)
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
    func catalog() -> [SegmentEntry] {
        guard state == .writing, var active = entries.last else { return entries }
        active.index = activeIndex
        active.index.endOffset = writtenEnd
        active.recordsEnd = writtenPosition
        active.bytes = writtenPosition
        return entries.dropLast() + [active]
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

    private static func device(
        of session: SessionID, in devices: [SessionID: DeviceID]
    ) -> DeviceID {
        guard let device = devices[session] else {
            preconditionFailure("a record of a session without a session record")
        }
        return device
    }
}
