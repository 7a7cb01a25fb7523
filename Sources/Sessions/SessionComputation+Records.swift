import Processing
public import SegmentLog
public import SensorModel
import WireFormat

extension SessionComputation? {
    /// Applies a record's input; the session's first head begins the computation. Recorded events
    /// and snapshots are results, not input.
    ///
    /// - Parameters:
    ///   - record: The decoded record. Before a head there is no computation, so it has no effect.
    ///   - header: The record's header in the log.
    ///   - payload: The payload in the log; a frame is read from it in place.
    ///   - events: The resulting events are appended.
    /// - Throws: ``SessionReadError/unreadableFrame(_:_:)``
    public mutating func apply(
        _ record: SessionRecord, of header: RecordHeader, payload: Span<UInt8>,
        into events: inout [StreamEvent]
    ) throws(SessionReadError) {
        switch record {
        case .event, .snapshot: break
        case .head(let head):
            guard self != nil else { return self = SessionComputation(profile: head.profile) }
            self?.apply(profile: head.profile, at: header.deviceTime, into: &events)
        case .course(let course):
            let route = course.map { CourseRoute($0) }
            self?.apply(route: route, at: header.deviceTime, into: &events)
        case .tick(let tick): self?.apply(tick, at: header.deviceTime, into: &events)
        case .frame(let kind):
            do throws(FrameRefusal) {
                // In place: a copy of the processors is 11 KiB.
                try self?.apply(
                    frame: FrameHeader(
                        kind: kind, sequence: header.sequence, deviceTime: header.deviceTime),
                    payload: payload, arrival: header.arrivalTime, into: &events)
            } catch { throw .unreadableFrame(header.offset, error) }
        }
    }
}

extension SessionRecord {
    /// - Parameters:
    ///   - header: The header in the log.
    ///   - payload: Valid during the call.
    /// - Returns: The decoded record.
    /// - Throws: ``SessionReadError/unreadableRecord(_:_:)``
    public static func read(
        _ header: RecordHeader, _ payload: Span<UInt8>
    ) throws(SessionReadError) -> SessionRecord {
        do throws(RecordRefusal) { return try SessionRecord(header, payload: payload) } catch {
            throw .unreadableRecord(header.offset, error)
        }
    }
}
