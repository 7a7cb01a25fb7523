import Processing
public import SegmentLog
public import SensorModel
public import Sharing

/// A session's processors, restored to the end of the log by replaying all its records.
public struct SessionRebuild: Sendable {
    public private(set) var head: SessionHead?
    /// `nil`: the log has lost the session's beginning.
    public private(set) var computation: SessionComputation?
    /// Events that follow from the frames but are missing in the log, because of a crash in
    /// between, or because the frames came while the session was rebuilt. At most 256.
    public private(set) var missing: [StreamEvent] = []
    /// Whether ``missing`` contains all missing events.
    public private(set) var isMissingComplete = true
    /// Number of events in the log, including splits and laps.
    public private(set) var recordedCount = 0
    public private(set) var lastDeviceTime: Timestamp?
    public private(set) var lastArrival: Timestamp?
    public private(set) var firstDeviceTime: Timestamp?
    /// Sequence numbers that were given up, derived from records and late frames; ascending.
    public private(set) var gaps: [ClosedRange<UInt32>] = []
    public private(set) var summaryEvents = SummaryEvents()
    /// Arrival of its first end, even if it continued.
    package private(set) var endedAt: Timestamp?

    /// The first offset that was not read; records that are only in memory follow it.
    public private(set) var end = RecordOffset(rawValue: 0)

    private var expected = ExpectedEvents()
    private var failure: SessionReadError?
    private var isCancelled = false
    /// Events of one record.
    private var events: [StreamEvent] = []

    /// Reads the session from its first record to the end of the written log.
    ///
    /// - Parameters:
    ///   - session: A session in the log.
    ///   - reader: A reader beside the running writer.
    ///   - end: The first offset that is not read; `nil`: all that is written.
    ///   - marked: Receives the marks that a projection needs, in order with the events.
    ///   - recorded: Receives each event in the log with its offset and arrival, in order.
    /// - Returns: The session as of the last record.
    /// - Throws: ``SessionReadError``
    public static func run(
        _ session: SessionID, reader: LogReader, until end: RecordOffset? = nil,
        marked: (SessionProjection.Mark) -> Void = { _ in },
        recorded: (StreamEvent, RecordOffset, Timestamp) -> Void = { _, _, _ in }
    ) throws(SessionReadError) -> SessionRebuild {
        // Only a cancellation gives `nil`.
        try run(
            session, reader: reader, until: end, isCancelled: { false }, marked: marked,
            recorded: recorded) ?? SessionRebuild()
    }

    /// Reads the session likewise, with a check for cancellation between records.
    ///
    /// - Returns: `nil` when it was cancelled.
    package static func run(
        _ session: SessionID, reader: LogReader, until end: RecordOffset?,
        isCancelled: () -> Bool, marked: (SessionProjection.Mark) -> Void,
        recorded: (StreamEvent, RecordOffset, Timestamp) -> Void
    ) throws(SessionReadError) -> SessionRebuild? {
        guard let summary = reader.summary(of: session) else {
            throw .unknownSession(session)
        }
        var rebuild = SessionRebuild()
        do throws(SegmentLogError) {
            rebuild.end = try reader.read(
                from: summary.firstOffset, until: end, session: session,
                gap: { gap in SessionProjection.Mark(gap).map(marked) }
            ) { header, payload in
                guard !isCancelled() else {
                    rebuild.isCancelled = true
                    return false
                }
                header.marks(payload, marked)
                do throws(SessionReadError) {
                    try rebuild.take(header, payload, recorded: recorded)
                    return true
                } catch {
                    rebuild.failure = error
                    return false
                }
            }
        } catch { throw .log(error) }
        if let failure = rebuild.failure { throw failure }
        rebuild.missing = Array(rebuild.expected.kept)
        rebuild.isMissingComplete = rebuild.expected.others == 0
        rebuild.expected = ExpectedEvents()
        return rebuild.isCancelled ? nil : rebuild
    }

    private mutating func take(
        _ header: RecordHeader, _ payload: Span<UInt8>,
        recorded: (StreamEvent, RecordOffset, Timestamp) -> Void
    ) throws(SessionReadError) {
        let record = try SessionRecord.read(header, payload)
        switch record {
        case .event(let event):
            recordedCount += 1
            expected.noteRecorded()
            summaryEvents.take(event)
            if event.kind == .ended, endedAt == nil { endedAt = header.arrivalTime }
            recorded(event, header.offset, header.arrivalTime)
        case .snapshot, .course: break
        case .head(let head): self.head = head
        case .tick(let tick):
            if case .gap(let from, let to) = tick, from <= to {
                gaps.append(from.rawValue...to.rawValue)
            }
        case .frame: noteFrame(header)
        }
        try computation.apply(record, of: header, payload: payload, into: &events)
        expected.append(contentsOf: events)
        events.removeAll(keepingCapacity: true)
    }

    private mutating func noteFrame(_ header: RecordHeader) {
        if firstDeviceTime == nil { firstDeviceTime = header.deviceTime }
        lastArrival = header.arrivalTime
        // If retention or damage removed the session's beginning, there is no computation. The
        // processors begin anew, and the rest of the session is shown.
        if computation?.isLate(header.sequence) ?? false {
            fill(header.sequence.rawValue)
        } else {
            lastDeviceTime = header.deviceTime
        }
    }

    /// Removes a late frame's number from the gap that contained it.
    private mutating func fill(_ sequence: UInt32) {
        guard let index = gaps.lastIndex(where: { $0.contains(sequence) }) else { return }
        let gap = gaps.remove(at: index)
        var rest: [ClosedRange<UInt32>] = []
        if gap.lowerBound < sequence { rest.append(gap.lowerBound...(sequence - 1)) }
        if sequence < gap.upperBound { rest.append((sequence + 1)...gap.upperBound) }
        gaps.insert(contentsOf: rest, at: index)
    }
}
