public import SensorModel

/// The append-only log of one state folder.
///
/// ``append(_:session:sequence:deviceTime:arrivalTime:payload:)`` and ``flush()`` belong to one
/// thread, the pipeline; everything else may be called from anywhere.
public final class SegmentLog: Sendable {
    /// What opening found and did.
    public let recovery: RecoveryReport
    /// The identity of this history, for cursors.
    public let epoch: UInt32

    /// Locks the folder, recovers what is there, and starts a fresh segment.
    ///
    /// No thread runs until ``start()``; without it ``settle()`` does their work in place, which
    /// is how simulations drive it.
    ///
    /// - Parameters:
    ///   - disk: The folder `log/`.
    ///   - configuration: Bounds and durability.
    ///   - now: Arrival clock.
    ///   - durableAdvanced: Called by the sync thread with the first offset that is not yet
    ///     durable (under `.interval` and `.os`: not yet written), each time it has moved.
    /// - Throws: ``SegmentLogError``
    public static func open(
        disk: any Disk, configuration: LogConfiguration, now: Timestamp,
        durableAdvanced: @escaping @Sendable (RecordOffset) -> Void = { _ in }
    ) throws(SegmentLogError) -> SegmentLog {
        SegmentLog(recovery: RecoveryReport(), epoch: configuration.newEpoch)
    }

    init(recovery: RecoveryReport, epoch: UInt32) {
        self.recovery = recovery
        self.epoch = epoch
    }

    /// Starts the writer and the sync thread.
    public func start() {}

    /// Appends a record of a session that ``appendSession(_:device:deviceTime:arrivalTime:payload:)``
    /// has introduced, now or in an earlier run.
    ///
    /// Stays in memory until ``flush()`` or until the buffer is full. Allocates nothing but a new
    /// buffer when the disk falls behind.
    ///
    /// - Returns: The record's number; `nil` when ``LogConfiguration/pendingBytesMax`` wait for the
    ///   disk or the log is closed: nothing was stored, no number was used.
    public func append(
        _ type: RecordType, session: SessionID, sequence: FrameSequence, deviceTime: Timestamp,
        arrivalTime: Timestamp, payload: Span<UInt8>
    ) -> RecordOffset? {
        nil
    }

    /// Appends a session record: the first of a session says whose it is.
    public func appendSession(
        _ session: SessionID, device: DeviceID, deviceTime: Timestamp, arrivalTime: Timestamp,
        payload: Span<UInt8>
    ) -> RecordOffset? {
        nil
    }

    /// Hands what was appended to the writer thread. Cheap when there is nothing.
    public func flush() {}

    /// Without threads: writes and syncs what was flushed. With threads: waits until they have, or
    /// until the log has failed.
    public func settle() {}

    /// Flushes, syncs, seals the segment and releases the folder. Idempotent.
    public func close() {}

    /// Whether an append of any size would be taken. The pipeline stops draining rings while not.
    public var hasRoom: Bool { true }

    public var state: LogState { .closed }

    /// The number the next record gets.
    public var nextOffset: RecordOffset { RecordOffset(rawValue: 0) }

    /// The first offset not yet handed to the kernel: what a reader can see ends here.
    public var writtenEnd: RecordOffset { RecordOffset(rawValue: 0) }

    /// The first offset whose append may not be acknowledged yet.
    public var durableEnd: RecordOffset { RecordOffset(rawValue: 0) }

    public func sessions() -> [SessionSummary] { [] }

    public func summary(of session: SessionID) -> SessionSummary? { nil }

    public func segments() -> [SegmentSummary] { [] }

    /// Reads beside the writer, with descriptors of its own.
    public func reader() -> LogReader { LogReader() }

    /// Rewrites every segment that holds one of `sessions` without them; their offsets become
    /// explicit gaps. The caller has stopped appending to them.
    ///
    /// - Throws: ``SegmentLogError``; what was not erased yet can be asked for again.
    public func erase(_ sessions: Set<SessionID>) throws(SegmentLogError) -> Erasure { Erasure() }

    /// Removes whole sealed segments, oldest first.
    ///
    /// - Parameters:
    ///   - arrivalBefore: Segments whose records all arrived earlier go; `nil`: none by age.
    ///   - bytesMax: The oldest go until the log is not larger; `nil`: none by size.
    /// - Returns: What went.
    /// - Throws: ``SegmentLogError``
    public func retain(
        arrivalBefore: Timestamp?, bytesMax: Int?
    ) throws(SegmentLogError) -> Erasure { Erasure() }
}
