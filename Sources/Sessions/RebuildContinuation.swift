import Processing
import SegmentLog
package import SensorModel
import WireFormat

/// A rebuilt session's computation, continued along its records: those that came while the session
/// was read.
package struct RebuildContinuation: Sendable {
    /// `nil`: it begins with the session's first record.
    package private(set) var computation: SessionComputation?
    /// The first offset that was not read.
    package private(set) var next: RecordOffset
    /// Events of the records from there on that are in the log.
    package private(set) var recorded: Int

    /// Device time of the newest frame that was not late; `nil`: there was none.
    package private(set) var lastDeviceTime: Timestamp?

    private var isCancelled = false
    private var failure: SessionReadError?
    private var events: [StreamEvent] = []

    init(_ computation: SessionComputation?, from next: RecordOffset, recorded: Int = 0) {
        self.computation = computation
        self.next = next
        self.recorded = recorded
    }

    /// Reads on until an offset, or until there are enough events to publish. Blocks on the disk.
    ///
    /// - Returns: Events that are not in the log; `nil` when it was cancelled.
    /// - Throws: ``SessionReadError``
    mutating func run(
        _ session: SessionID, reader: LogReader, until end: RecordOffset, isCancelled: () -> Bool
    ) throws(SessionReadError) -> [StreamEvent]? {
        var found: [StreamEvent] = []
        do throws(SegmentLogError) {
            next = try reader.read(from: next, until: end, session: session) { header, payload in
                guard !isCancelled() else {
                    self.isCancelled = true
                    return false
                }
                do throws(SessionReadError) {
                    try take(header, payload)
                } catch {
                    failure = error
                    return false
                }
                let known = min(recorded, events.count)
                recorded -= known
                found += events[known...]
                events.removeAll(keepingCapacity: true)
                return found.count < ExpectedEvents.keptMax
            }
        } catch { throw .log(error) }
        if let failure { throw failure }
        return self.isCancelled ? nil : found
    }

    private mutating func take(
        _ header: RecordHeader, _ payload: Span<UInt8>
    ) throws(SessionReadError) {
        let record: SessionRecord
        do {
            record = try SessionRecord(header, payload: payload)
        } catch { throw .unreadableRecord(header.offset, error) }
        switch record {
        // Written by the reading before this one, or counted.
        case .event, .snapshot: break
        case .head(let head):
            guard computation != nil else {
                computation = SessionComputation(profile: head.profile)
                return
            }
            computation?.apply(profile: head.profile, at: header.deviceTime, into: &events)
        case .course(let course):
            let route = course.map { CourseRoute($0) }
            computation?.apply(route: route, at: header.deviceTime, into: &events)
        case .tick(let tick): computation?.apply(tick, at: header.deviceTime, into: &events)
        case .frame(let kind):
            let frame = FrameHeader(
                kind: kind, sequence: header.sequence, deviceTime: header.deviceTime)
            if computation?.isLate(frame.sequence) == false { lastDeviceTime = frame.deviceTime }
            do throws(FrameRefusal) {
                try computation?.apply(
                    frame: frame, payload: payload, arrival: header.arrivalTime, into: &events)
            } catch { throw .unreadableFrame(header.offset, error) }
        }
    }
}
