import Processing
import SegmentLog
package import SensorModel
import WireFormat

/// Continues a rebuilt session's computation with the records that came while the session was read.
package struct RebuildContinuation: Sendable {
    /// `nil`: it begins with the session's first record.
    package private(set) var computation: SessionComputation?
    /// The first offset that was not read.
    package private(set) var next: RecordOffset
    /// Number of events in the log that follow from the records after ``next``.
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

    /// Reads up to an offset, or until there are enough events to publish. Blocks on the disk.
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

    /// Applies a record. The log's own events are written already, or ``recorded`` counts them.
    private mutating func take(
        _ header: RecordHeader, _ payload: Span<UInt8>
    ) throws(SessionReadError) {
        let record = try SessionRecord.read(header, payload)
        if case .frame = record, computation?.isLate(header.sequence) == false {
            lastDeviceTime = header.deviceTime
        }
        try computation.apply(record, of: header, payload: payload, into: &events)
    }
}
