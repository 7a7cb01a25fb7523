public import SensorModel
import Synchronization

/// The append-only log of one state folder.
///
/// ``append(_:session:sequence:deviceTime:arrivalTime:payload:)`` belongs to one thread at a time,
/// who has the pipeline's turn; everything else may be called from anywhere. `LogCore` decides, this
/// type locks it, does the I/O it asks for, and tells the observer.
public final class SegmentLog: Sendable {
    /// A longer payload is a mistake of the caller's.
    public static let payloadBytesMax = 512 << 10

    /// What opening found and did.
    public let recovery: RecoveryReport
    /// The identity of this history, for cursors.
    public let epoch: UInt32

    let disk: any Disk
    let configuration: LogConfiguration
    let observer: LogObserver
    let core: Mutex<LogCore>
    let published: Published
    /// Held while ``published`` moves; guards the waits for that.
    let publishing = Mutex(LogWaiters())
    /// Whether a failure was the last that the observer was told.
    let toldFailure = Mutex(false)
    /// Held while sealed segments are changed or removed.
    let upkeep = Mutex<Void>(())
    /// Segments in which an erasure in place is begun and not complete.
    let erasing: Mutex<Set<UInt64>>
    let upkeepCounts = Mutex(LogHoldings())
    let marks = MarkCache()
    let catalog: Mutex<CatalogState>
    let threads = Mutex<[LogThread]>([])
    let writerWakeup = Wakeup()
    let syncWakeup = Wakeup()
    let settledWakeup = Wakeup()
    let isStopping = Atomic(false)
    private let folderLock: Mutex<(any DiskFile)?>

    /// What other threads may read without the lock.
    final class Published: Sendable {
        let nextOffset: Atomic<UInt64>
        let writtenEnd: Atomic<UInt64>
        let durableEnd: Atomic<UInt64>

        init(_ core: borrowing LogCore) {
            nextOffset = Atomic(core.nextOffset)
            writtenEnd = Atomic(core.writtenEnd)
            durableEnd = Atomic(core.durableEnd)
        }
    }

    init(
        disk: any Disk, observer: LogObserver, recovery: RecoveryReport, core: LogCore,
        catalog: CatalogState, erasing: Set<UInt64>, folderLock: any DiskFile
    ) {
        self.catalog = Mutex(catalog)
        self.erasing = Mutex(erasing)
        self.disk = disk
        self.observer = observer
        self.recovery = recovery
        configuration = core.configuration
        epoch = core.epoch
        published = Published(core)
        self.core = Mutex(core)
        self.folderLock = Mutex(folderLock)
    }

    /// Appends a record of a session that
    /// ``appendSession(_:device:deviceTime:arrivalTime:payload:)`` has introduced, now or in an
    /// earlier run.
    ///
    /// Stays in memory until ``flush()`` or until the buffer is full. Allocates nothing but a new
    /// buffer when the disk falls behind. While the log has failed it goes on taking records, up to
    /// the same bound, for the segment that will take over.
    ///
    /// - Returns: The record's number; `nil` when ``LogConfiguration/pendingBytesMax`` wait for the
    ///   disk or the log is closed: nothing was stored, no number was used.
    public func append(
        _ type: RecordType, session: SessionID, sequence: FrameSequence, deviceTime: Timestamp,
        arrivalTime: Timestamp, payload: Span<UInt8>
    ) -> RecordOffset? {
        precondition(payload.count <= Self.payloadBytesMax, "a payload beyond the log's bound")
        let record = RawRecord(
            tag: RecordTag.of(type), session: 0, arrivalTime: arrivalTime.microseconds,
            sequence: sequence.rawValue, deviceTime: deviceTime.microseconds,
            payloadBytes: payload.count)
        var isChunkFull = false
        let offset = core.withLock { core in
            let filled = core.line.filled.count
            let offset = core.append(record, of: session, payload: payload)
            isChunkFull = core.line.filled.count > filled && core.state == .writing
            return offset
        }
        // A full buffer goes to the disk without waiting for a flush.
        if isChunkFull { writerWakeup.wake() }
        guard let offset else { return nil }
        published.nextOffset.store(offset.rawValue + 1, ordering: .releasing)
        return offset
    }

    /// Appends a session record: the first of a session says whose it is.
    public func appendSession(
        _ session: SessionID, device: DeviceID, deviceTime: Timestamp, arrivalTime: Timestamp,
        payload: Span<UInt8>
    ) -> RecordOffset? {
        core.withLock { $0.devices[session] = device }
        return append(
            .session, session: session, sequence: .none, deviceTime: deviceTime,
            arrivalTime: arrivalTime, payload: payload)
    }

    /// Hands what was appended to the log's threads. Cheap when there is nothing, and when it will
    /// go with what a thread does next anyway.
    public func flush() {
        let (isCommit, isWriters) = core.withLock { core in
            core.isFlushWanted = core.line.current.count > 0
            // A log that has failed is tried again in its own time.
            let isWriters = core.state == .writing && !core.isWriterContent
            return (core.isCommitDue, core.isFlushWanted && isWriters)
        }
        if isCommit { syncWakeup.wake() }
        if isWriters { writerWakeup.wake() }
    }

    /// Whether a turn's appends would be taken, an eighth of the bound. The pipeline stops draining
    /// rings while not.
    public var hasRoom: Bool {
        core.withLock {
            // A frame after hours of silence has consequences for each second of them.
            $0.hasRoom(for: max(Self.payloadBytesMax, configuration.pendingBytesMax / 8))
        }
    }

    public var state: LogState { core.withLock { $0.state } }

    /// Appended and not yet on disk.
    public var pendingBytes: Int { core.withLock { $0.pendingBytes } }

    /// The number the next record gets.
    public var nextOffset: RecordOffset {
        RecordOffset(rawValue: published.nextOffset.load(ordering: .acquiring))
    }

    /// The first offset not yet handed to the kernel: what a reader can see ends here.
    public var writtenEnd: RecordOffset {
        RecordOffset(rawValue: published.writtenEnd.load(ordering: .acquiring))
    }

    /// The first offset whose append may not be acknowledged yet.
    public var durableEnd: RecordOffset {
        RecordOffset(rawValue: published.durableEnd.load(ordering: .acquiring))
    }

    public func sessions() -> [SessionSummary] {
        SessionSummary.merged(core.withLock { $0.catalog() })
    }

    /// - Parameters:
    ///   - session: Any session.
    ///   - start: Segments that end before this offset are not looked at.
    /// - Returns: `nil`: it has no records there.
    public func summary(
        of session: SessionID, since start: RecordOffset = RecordOffset(rawValue: 0)
    ) -> SessionSummary? {
        let entries = core.withLock { $0.entries(holding: session) }
        return SessionSummary.merged(
            entries.filter { $0.index.endOffset > start.rawValue }, of: session)
    }

    /// One summary a session of a device, in the order of first offsets.
    public func sessions(of device: DeviceID) -> [SessionSummary] {
        reader().sessions(of: device)
    }

    /// The last number that a crash has made the log leap over, by now or before: nothing is
    /// recorded there, and viewers may have been given it. `nil`: no crash in what is left of it.
    public var lostEnd: RecordOffset? {
        var end: UInt64?
        var lost: UInt64?
        for entry in core.withLock({ $0.catalog() }) {
            guard let header = entry.header else { continue }
            // Of the first: what was before it is deleted, if there was anything.
            if header.firstOffset > end ?? (header.previous == 0 ? 0 : header.firstOffset) {
                lost = header.firstOffset - 1
            }
            end = max(end ?? 0, entry.index.endOffset)
        }
        return lost.map { RecordOffset(rawValue: $0) }
    }

    public func segments() -> [SegmentSummary] { core.withLock { $0.catalog() }.map(\.summary) }

    /// Reads beside the writer, with descriptors of its own.
    public func reader() -> LogReader { LogReader(log: self) }

    func releaseFolder() {
        folderLock.withLock { $0 = nil }
    }
}
