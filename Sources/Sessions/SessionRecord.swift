public import SegmentLog
public import SensorModel
public import WireFormat

/// A record of one session, decoded according to its type.
public enum SessionRecord: Sendable {
    case head(SessionHead)
    /// The course that is followed from here on; `nil`: none.
    case course(Course?)
    case tick(SessionTick)
    /// Metrics, or a discrete event, computed live.
    case event(StreamEvent)
    case snapshot([StreamEvent])
    /// A frame. Its payload is read in place, not copied.
    case frame(FrameKind)

    /// - Parameters:
    ///   - header: The header in the log.
    ///   - payload: Valid during the call.
    /// - Throws: ``RecordRefusal`` for a payload that no version of this code has written.
    public init(_ header: RecordHeader, payload: Span<UInt8>) throws(RecordRefusal) {
        switch header.type {
        case .session where CourseCodec.isCourse(payload):
            self = .course(try CourseCodec.decode(payload))
        case .session: self = .head(try SessionHeadCodec.decode(payload))
        case .tick: self = .tick(try SessionTickCodec.decode(payload))
        case .metric, .event: self = .event(try StreamEventCodec.decode(payload))
        case .snapshot: self = .snapshot(try SnapshotCodec.decode(payload))
        case .frame(let kind): self = .frame(kind)
        }
    }
}

/// Why a recorded session cannot be recomputed.
public enum SessionReadError: Error, Hashable, Sendable {
    case unknownSession(SessionID)
    case unreadableRecord(RecordOffset, RecordRefusal)
    case unreadableFrame(RecordOffset, FrameRefusal)
    /// A frame without the session's head before it: the log is damaged there.
    case headMissing(RecordOffset)
    case log(SegmentLogError)
}

extension SessionReadError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownSession(let session):
            "the log has no session \(session); see pulsecast session list"
        case .unreadableRecord(let offset, let refusal):
            "record \(offset.rawValue) cannot be read: \(refusal)"
        case .unreadableFrame(let offset, let refusal):
            "the frame of record \(offset.rawValue) cannot be read: \(refusal)"
        case .headMissing(let offset):
            "record \(offset.rawValue) belongs to a session whose first record is missing"
        case .log(let error): "\(error)"
        }
    }
}
