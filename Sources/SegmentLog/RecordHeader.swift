public import SensorModel

/// The type of a record's content. The payload is opaque to the log.
public enum RecordType: Hashable, Sendable {
    /// A device's frame, with the payload of the binary wire format.
    case frame(FrameKind)
    /// Metrics of one whole second.
    case metric
    /// A discrete stream event.
    case event
    /// An input from the daemon itself: silence, a gap, or the session's end.
    case tick
    /// State from which a replay can start.
    case snapshot
    /// The session's device and the settings of its computation, written at its start and at each
    /// change.
    case session

    /// The name that `log cat` prints.
    public var name: String {
        switch self {
        case .frame: "frame"
        case .metric: "metric"
        case .event: "event"
        case .tick: "tick"
        case .snapshot: "snapshot"
        case .session: "session"
        }
    }
}

/// All fields of a record except its payload.
public struct RecordHeader: Hashable, Sendable {
    public var offset: RecordOffset
    public var type: RecordType
    public var session: SessionID
    public var device: DeviceID
    public var sequence: FrameSequence
    public var deviceTime: Timestamp
    public var arrivalTime: Timestamp

    public init(
        offset: RecordOffset, type: RecordType, session: SessionID, device: DeviceID,
        sequence: FrameSequence, deviceTime: Timestamp, arrivalTime: Timestamp
    ) {
        self.offset = offset
        self.type = type
        self.session = session
        self.device = device
        self.sequence = sequence
        self.deviceTime = deviceTime
        self.arrivalTime = arrivalTime
    }
}

/// Requested offsets that are not in the log.
public struct LogGap: Hashable, Sendable {
    public enum Reason: UInt8, Sendable {
        /// Their session was deleted.
        case deleted = 1
        /// The bytes on disk differ from what was written.
        case damaged = 2
        /// Retention removed their segment. Files never contain this reason.
        case removed = 3
    }

    public var from: RecordOffset
    /// The first offset after the gap.
    public var to: RecordOffset
    public var reason: Reason

    public init(from: RecordOffset, to: RecordOffset, reason: Reason) {
        self.from = from
        self.to = to
        self.reason = reason
    }
}
