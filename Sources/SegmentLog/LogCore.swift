import SensorModel

/// The writing side of the log as a pure state machine.
///
/// It turns appends into chunks, decides what to write, sync or seal next, and receives the
/// results. It does no I/O and knows no thread; ``SegmentLog`` performs its decisions.
///
///     append ─► line.current ─► line.filled ─write─► retained ─sync─► durable
///                                  │ any failure: the descriptor is dropped
///                                  └─► a new segment starts at the first offset not durable,
///                                      and everything not durable is encoded for it again
struct LogCore: Sendable {
    /// A full segment, which is sealed once its last chunk is written.
    struct Roll: Sendable {
        var draft: SegmentDraft
        var next: SegmentHeader
    }

    let configuration: LogConfiguration
    let epoch: UInt32
    var state = LogState.writing
    /// All segments, oldest first. In the state `writing` the last is the one being written.
    var entries: SegmentList
    /// Places of sessions in all segments except the one being written.
    var places: SessionPlaces
    /// The segment being filled: the one being written, or one that follows it after rolls.
    var draft: SegmentDraft
    var line: ChunkQueue
    var rolls: [Roll] = []
    /// File of the segment being written; `nil` after a failure.
    var file: (any DiskFile)?
    /// Whether a segment of this run has been on disk. Before that no offset may be assigned: after
    /// a kill the next start would assign it again.
    var hasBegun: Bool
    /// Chunks written but not synced, in order: a new segment needs them if the sync fails.
    var retained: [Chunk] = []
    var retainedBytes = 0

    var writtenEnd: UInt64
    var durableEnd: UInt64
    /// Position in the segment being written.
    var writtenPosition = SegmentFormat.recordsStart
    var durablePosition = SegmentFormat.recordsStart
    var isFlushWanted = false
    var isSyncing = false
    /// Whether a chunk is being written: later chunks must not overtake it.
    var isWriting = false
    /// Whether the sync thread sleeps until its timeout or until ``hasGroup``.
    var isResting = false
    /// Whether appends are gathered between two syncs, to be written with one call after one
    /// wake-up.
    var isGathering = false
    var lastNumber: UInt64
    var latestArrival: Int64
    var arrivals = ArrivalMarks()
    /// Smaller than the configured maximum while writing into the reserve.
    var segmentBytesMax: Int
    /// Whether the file is longer than the written data and must be truncated when it is sealed.
    var isPreallocated = false

    /// `file` is the file of `header`'s segment. It is `nil` if there is none; `state` then gives
    /// the reason.
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
        line = ChunkQueue(
            header: header, position: SegmentFormat.recordsStart, offset: header.firstOffset,
            segmentBytes: configuration.segmentBytesMax)
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

    /// Lower bound of the next record's offset.
    var nextOffset: UInt64 { draft.offset }

    /// Bytes in memory that are not on disk.
    var pendingBytes: Int { line.pendingBytes + retainedBytes }

    func hasRoom(for payloadBytes: Int) -> Bool {
        hasBegun && state != .closed
            && pendingBytes + SegmentDraft.bytesAtMost(payloadBytes: payloadBytes)
                <= configuration.pendingBytesMax
    }

    mutating func append(
        _ record: RawRecord, of session: SessionID, device: DeviceID, payload: Span<UInt8>
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
        arrivals.append(arrival: record.arrivalTime, at: offset, durableEnd: durableEnd)
        draft.append(record, at: offset, of: session, device: device, payload: payload, to: &line)
        return RecordOffset(rawValue: offset)
    }

    /// Continues in a new segment.
    mutating func roll() {
        lastNumber += 1
        let next = SegmentHeader(
            epoch: epoch, number: lastNumber, previous: draft.header.number,
            firstOffset: draft.offset, arrivalBase: latestArrival, generation: 0)
        rolls.append(Roll(draft: draft, next: next))
        begin(next)
        segmentBytesMax = configuration.segmentBytesMax
    }

    /// Index of the segment being written; may be ahead of what is written.
    var activeIndex: SegmentIndex { rolls.first?.draft.index ?? draft.index }

    mutating func begin(_ header: SegmentHeader) {
        draft = SegmentDraft(header: header)
        line.begin(header, position: SegmentFormat.recordsStart, offset: header.firstOffset)
    }

    static func entry(of header: SegmentHeader) -> SegmentEntry {
        SegmentEntry(
            number: header.number, header: header, isWrittenHere: true,
            bytes: SegmentFormat.recordsStart, recordsEnd: SegmentFormat.recordsStart,
            index: SegmentIndex(firstOffset: header.firstOffset))
    }
}
