public import SegmentLog
public import SensorModel
public import WireFormat

/// A record of one session, decoded as far as its type says.
public enum SessionRecord: Sendable {
    case head(SessionHead)
    /// What is followed from here on; `nil`: nothing any more.
    case course(Course?)
    case tick(SessionTick)
    /// A metrics or a discrete event that was computed when it was live.
    case event(StreamEvent)
    case snapshot([StreamEvent])
    /// The payload is read where it lies, not copied.
    case frame(FrameKind)

    /// - Parameters:
    ///   - header: As the log gives it.
    ///   - payload: Valid during the call.
    /// - Throws: ``RecordRefusal`` for a payload that no version of this code has written.
    public init(_ header: RecordHeader, payload: Span<UInt8>) throws(RecordRefusal) {
        switch header.type {
        case .session where !payload.isEmpty && payload[0] == CourseCodec.version:
            self = .course(try CourseCodec.decode(payload))
        case .session: self = .head(try SessionHeadCodec.decode(payload))
        case .tick: self = .tick(try SessionTickCodec.decode(payload))
        case .metric, .event: self = .event(try StreamEventCodec.decode(payload))
        case .snapshot: self = .snapshot(try SnapshotCodec.decode(payload))
        case .frame(let kind): self = .frame(kind)
        }
    }
}

/// Why a recorded session cannot be computed again.
public enum ReplayError: Error, Hashable, Sendable {
    case unknownSession(SessionID)
    case unreadableRecord(RecordOffset, RecordRefusal)
    case unreadableFrame(RecordOffset, FrameRefusal)
    /// A frame before the session's head: the log is damaged there.
    case headMissing(RecordOffset)
    case log(SegmentLogError)
}

extension ReplayError: CustomStringConvertible {
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
