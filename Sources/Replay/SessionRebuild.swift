public import SegmentLog
public import SensorModel

/// A session's processors, brought back to where the log ends by feeding them all that it holds.
public struct SessionRebuild: Sendable {
    public private(set) var head: SessionHead?
    public private(set) var computation: SessionComputation?
    /// What follows from the frames and is not in the log: a crash came in between.
    public private(set) var missing: [StreamEvent] = []
    /// Every event that is in the log, with its offset: splits, laps and what came of them too.
    public private(set) var recordedCount = 0
    public private(set) var lastDeviceTime: Timestamp?
    public private(set) var lastArrival: Timestamp?
    public private(set) var firstDeviceTime: Timestamp?
    /// Sequences that were given up, as records and late frames left them; rising.
    public private(set) var gaps: [ClosedRange<UInt32>] = []
    public private(set) var summaryEvents = SummaryEvents()

    /// The first offset that was not read: records that only memory holds come after it.
    public private(set) var end = RecordOffset(rawValue: 0)

    private var expected: [StreamEvent] = []
    private var failure: ReplayError?

    /// Reads the session from its first record to where the log is written.
    ///
    /// - Parameters:
    ///   - session: In the log.
    ///   - reader: Beside the running writer.
    ///   - end: The first offset not to read; `nil`: all that is written.
    ///   - recorded: Gets each event that the log holds, with its offset and arrival, in order.
    /// - Returns: The session as of the last record.
    /// - Throws: ``ReplayError``
    public static func run(
        _ session: SessionID, reader: LogReader, until end: RecordOffset? = nil,
        recorded: (StreamEvent, RecordOffset, Timestamp) -> Void = { _, _, _ in }
    ) throws(ReplayError) -> SessionRebuild {
        guard let summary = reader.summary(of: session) else {
            throw .unknownSession(session)
        }
        var rebuild = SessionRebuild()
        do throws(SegmentLogError) {
            rebuild.end = try reader.read(
                from: summary.firstOffset, until: end, session: session
            ) { header, payload in
                do throws(ReplayError) {
                    try rebuild.take(header, payload, recorded: recorded)
                    return true
                } catch {
                    rebuild.failure = error
                    return false
                }
            }
        } catch { throw .log(error) }
        if let failure = rebuild.failure { throw failure }
        let unrecorded = max(0, rebuild.expected.count - rebuild.recordedCount)
        rebuild.missing = Array(rebuild.expected.suffix(unrecorded))
        rebuild.expected = []
        return rebuild
    }

    private mutating func take(
        _ header: RecordHeader, _ payload: Span<UInt8>,
        recorded: (StreamEvent, RecordOffset, Timestamp) -> Void
    ) throws(ReplayError) {
        let record: SessionRecord
        do {
            record = try SessionRecord(header, payload: payload)
        } catch { throw .unreadableRecord(header.offset, error) }
        switch record {
        case .event(let event):
            recordedCount += 1
            summaryEvents.take(event)
            recorded(event, header.offset, header.arrivalTime)
        case .snapshot: break
        case .head(let head):
            if computation == nil {
                computation = SessionComputation(profile: head.profile)
            } else {
                computation?.apply(
                    profile: head.profile, at: header.deviceTime, into: &expected)
            }
            self.head = head
        case .course(let course):
            computation?.apply(course: course, at: header.deviceTime, into: &expected)
        case .tick(let tick):
            if case .gap(let from, let to) = tick, from <= to {
                gaps.append(from.rawValue...to.rawValue)
            }
            computation?.apply(tick, at: header.deviceTime, into: &expected)
        case .frame(let kind):
            try take(
                frame: FrameHeader(
                    kind: kind, sequence: header.sequence, deviceTime: header.deviceTime),
                payload, of: header)
        }
    }

    private mutating func take(
        frame: FrameHeader, _ payload: Span<UInt8>, of header: RecordHeader
    ) throws(ReplayError) {
        guard var computation = self.computation.take() else {
            throw .headMissing(header.offset)
        }
        if computation.isLate(frame.sequence) {
            fill(frame.sequence.rawValue)
        } else {
            lastDeviceTime = frame.deviceTime
        }
        if firstDeviceTime == nil { firstDeviceTime = frame.deviceTime }
        lastArrival = header.arrivalTime
        do {
            try computation.apply(
                frame: frame, payload: payload, arrival: header.arrivalTime, into: &expected)
        } catch { throw .unreadableFrame(header.offset, error) }
        self.computation = computation
        dropRecorded()
    }

    /// A late frame takes its number out of the gap it fell into.
    private mutating func fill(_ sequence: UInt32) {
        guard let index = gaps.lastIndex(where: { $0.contains(sequence) }) else { return }
        let gap = gaps.remove(at: index)
        var rest: [ClosedRange<UInt32>] = []
        if gap.lowerBound < sequence { rest.append(gap.lowerBound...(sequence - 1)) }
        if sequence < gap.upperBound { rest.append((sequence + 1)...gap.upperBound) }
        gaps.insert(contentsOf: rest, at: index)
    }

    /// What is both computed and recorded need not be kept.
    private mutating func dropRecorded() {
        guard expected.count > 4096 else { return }
        let both = min(expected.count, recordedCount)
        expected.removeFirst(both)
        recordedCount -= both
    }
}
