public import SensorModel
import Synchronization

/// The append-only log of one state folder.
///
/// ``append(_:session:sequence:deviceTime:arrivalTime:payload:)`` may be called by one thread at a
/// time, the one that has the pipeline's turn. All other calls are allowed on any thread. `LogCore`
/// decides; this type locks it, does its I/O, and calls the observer.
public final class SegmentLog: Sendable {
    /// Maximum size of a payload; a longer one is a bug of the caller.
    public static let payloadBytesMax = 512 << 10

    /// Result of opening the log.
    public let recovery: RecoveryReport
    /// The identity of this history, for cursors.
    public let epoch: UInt32

    let disk: any Disk
    let configuration: LogConfiguration
    let observer: LogObserver
    let core: Mutex<LogCore>
    let published: Published
    /// Guards the waits; held while ``published`` changes.
    let publishing = Mutex(LogWaiters())
    /// Whether the observer's last call reported a failure.
    let toldFailure = Mutex(false)
    /// Held while sealed segments are changed or removed.
    let upkeep = Mutex<Void>(())
    /// Segments with an incomplete erasure in place.
    let erasing: Mutex<Set<UInt64>>
    /// Open segments of an earlier run of which some records may not be on disk yet.
    let undurable: Mutex<Set<UInt64>>
    /// Numbers of segments whose files a failing disk may have left without records.
    let abandoned = Mutex<Set<UInt64>>([])
    /// Segments that retention has removed from the log and not yet from the disk, by number.
    let overdue = Mutex<[UInt64: OverdueSegment]>([:])
    /// Numbers of the marks in the folder: ``FirstMark``.
    let firstMarks = Mutex<Set<UInt64>>([])
    let upkeepCounts = Mutex(LogUsage())
    let retentionTimes = Mutex(RetentionTimeState())
    let marks = MarkCache()
    let catalog: Mutex<CatalogState>
    let threads = Mutex<[LogThread]>([])
    let writerWakeup = AutoResetEvent()
    let syncWakeup = AutoResetEvent()
    let settledWakeup = AutoResetEvent()
    let isStopping = Atomic(false)
    private let folderLock: Mutex<(any DiskFile)?>

    /// Values that other threads may read without the lock.
    final class Published: Sendable {
        let nextOffset: Atomic<UInt64>
        let writtenEnd: Atomic<UInt64>
        let durableEnd: Atomic<UInt64>
        /// Arrival of the oldest input that is not appended yet, µs; the maximum: there is none.
        let unprocessedSince = Atomic(Int64.max)
        let appendedBytes = Atomic(0)

        init(_ core: borrowing LogCore) {
            nextOffset = Atomic(core.nextOffset)
            writtenEnd = Atomic(core.writtenEnd)
            durableEnd = Atomic(core.durableEnd)
        }
    }

    init(
        disk: any Disk, observer: LogObserver, core: LogCore, recovery: Recovery,
        folderLock: any DiskFile
    ) {
        catalog = Mutex(recovery.catalog)
        erasing = Mutex(recovery.erasing)
        undurable = Mutex(recovery.undurable)
        self.disk = disk
        self.observer = observer
        self.recovery = recovery.report
        configuration = core.configuration
        epoch = core.epoch
        published = Published(core)
        self.core = Mutex(core)
        self.folderLock = Mutex(folderLock)
    }

    /// Appends a record of a session, whose earlier records may be in the log, in memory, or
    /// removed by retention.
    ///
    /// The record stays in memory until ``flush()`` or until the buffer is full. Allocates only a
    /// new buffer, when the disk falls behind. After a failure the log continues to take records,
    /// up to the same limit, for the segment that will take over.
    ///
    /// - Returns: The record's offset; `nil` if ``LogConfiguration/pendingBytesMax`` bytes wait for
    ///   the disk or the log is closed. Nothing was stored then, and no offset was used.
    public func append(
        _ type: RecordType, session: SessionID, device: DeviceID, sequence: FrameSequence,
        deviceTime: Timestamp, arrivalTime: Timestamp, payload: Span<UInt8>
    ) -> RecordOffset? {
        precondition(payload.count <= Self.payloadBytesMax, "a payload beyond the log's bound")
        let record = RawRecord(
            tag: RecordTag.of(type), session: 0, arrivalTime: arrivalTime.microseconds,
            sequence: sequence.rawValue, deviceTime: deviceTime.microseconds,
            payloadBytes: payload.count)
        var isChunkFull = false
        let offset = core.withLock { core in
            let filled = core.line.filled.count
            let offset = core.append(record, of: session, device: device, payload: payload)
            isChunkFull = core.line.filled.count > filled && core.state == .writing
            return offset
        }
        // A full buffer is written without waiting for a flush.
        if isChunkFull { writerWakeup.wake() }
        guard let offset else { return nil }
        published.nextOffset.store(offset.rawValue + 1, ordering: .releasing)
        published.appendedBytes.wrappingAdd(record.bytes, ordering: .relaxed)
        return offset
    }

    /// Notes the arrival of the oldest input whose records are not appended yet, for
    /// ``LogReader/unreadableSince``. Called by the thread that appends.
    public func noteUnprocessed(since arrival: Timestamp?) {
        // Release: a reader that misses the note must see the records that the input caused.
        published.unprocessedSince.store(arrival?.microseconds ?? .max, ordering: .releasing)
    }

    /// Appends a session record.
    public func appendSession(
        _ session: SessionID, device: DeviceID, deviceTime: Timestamp, arrivalTime: Timestamp,
        payload: Span<UInt8>
    ) -> RecordOffset? {
        append(
            .session, session: session, device: device, sequence: .none, deviceTime: deviceTime,
            arrivalTime: arrivalTime, payload: payload)
    }

    /// Passes appended records to the log's threads. Cheap if there are none, or if a thread will
    /// write them anyway.
    public func flush() {
        let (isCommit, isWriters) = core.withLock { core in
            core.isFlushWanted = core.line.current.count > 0
            // A failed log is tried again at its own intervals.
            let isWriters = core.state == .writing && !core.isWriterContent
            return (core.isCommitDue, core.isFlushWanted && isWriters)
        }
        if isCommit { syncWakeup.wake() }
        if isWriters { writerWakeup.wake() }
    }

    /// Whether the log can take a turn's appends, an eighth of the limit. The pipeline stops
    /// draining rings while it cannot.
    public var hasRoom: Bool {
        core.withLock {
            // A frame after hours of silence causes records for each second of them.
            $0.hasRoom(for: max(Self.payloadBytesMax, configuration.pendingBytesMax / 8))
        }
    }

    public var state: LogState { core.withLock { $0.state } }

    /// Bytes of all records appended in this run.
    public var appendedBytes: Int { published.appendedBytes.load(ordering: .relaxed) }

    /// Bytes appended and not yet on disk.
    public var pendingBytes: Int { core.withLock { $0.pendingBytes } }

    /// The offset of the next record.
    public var nextOffset: RecordOffset {
        RecordOffset(rawValue: published.nextOffset.load(ordering: .acquiring))
    }

    /// The first offset not yet passed to the kernel: the end of what readers can see.
    public var writtenEnd: RecordOffset {
        RecordOffset(rawValue: published.writtenEnd.load(ordering: .acquiring))
    }

    /// The first offset whose append may not be acknowledged yet.
    public var durableEnd: RecordOffset {
        RecordOffset(rawValue: published.durableEnd.load(ordering: .acquiring))
    }

    /// The first offset of the oldest segment; 0 if that is not known.
    public var firstOffset: RecordOffset {
        RecordOffset(rawValue: core.withLock { $0.catalog().first?.header?.firstOffset } ?? 0)
    }

    public func sessions() -> [SessionSummary] {
        SessionSummary.merged(core.withLock { $0.catalog() })
    }

    /// - Parameters:
    ///   - session: Any session.
    ///   - start: Segments that end before this offset are ignored.
    /// - Returns: `nil`: the session has no records there.
    public func summary(
        of session: SessionID, since start: RecordOffset = RecordOffset(rawValue: 0)
    ) -> SessionSummary? {
        let entries = core.withLock { $0.entries(holding: session) }
        return SessionSummary.merged(
            entries.lazy.filter { $0.entry.index.endOffset > start.rawValue }
                .map { $0.entry.index.parts[$0.part] })
    }

    /// One summary per session of a device, in the order of first offsets.
    public func sessions(of device: DeviceID) -> [SessionSummary] {
        reader().sessions(of: device)
    }

    /// The last offset that the log skipped after a crash, in this run or before. It has no record,
    /// and viewers may have received it. `nil`: the remaining log has no crash.
    public var lostEnd: RecordOffset? {
        var end: UInt64?
        var lost: UInt64?
        for entry in core.withLock({ $0.catalog() }) {
            guard let header = entry.header else { continue }
            // A predecessor of the first segment was deleted, so its offsets are not lost.
            if header.firstOffset > end ?? (header.previous == 0 ? 0 : header.firstOffset) {
                lost = header.firstOffset - 1
            }
            end = max(end ?? 0, entry.index.endOffset)
        }
        return lost.map { RecordOffset(rawValue: $0) }
    }

    public func segments() -> [SegmentSummary] { core.withLock { $0.catalog() }.map(\.summary) }

    /// Returns a reader that works beside the writer, with descriptors of its own.
    public func reader() -> LogReader { LogReader(log: self) }

    func releaseFolder() {
        folderLock.withLock { $0 = nil }
    }
}
