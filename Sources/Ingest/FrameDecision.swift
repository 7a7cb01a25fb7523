public import SensorModel

/// The decision on a frame.
public enum FrameDecision: Hashable, Sendable {
    /// Append the frame now, with the device's sequence or none. Then report the offset with
    /// ``SessionTable/recorded(_:sequence:late:at:)``.
    ///
    /// `late` marks a frame that fills a gap: it must not move "now" backwards.
    case record(session: SessionID, sequence: FrameSequence, late: Bool)
    /// The session already has the frame; drop and count it.
    case duplicate
    /// The table holds a copy until the missing frames before it arrive or are given up.
    case held
    /// The connection has no session, or another connection took it over. Drop the frame without an
    /// ack.
    case notOpen
}

/// Results of ``SessionTable/popReleased()``, to be recorded in this order.
public enum Release: Hashable, Sendable {
    case frame(ReleasedFrame)
    /// No frame of `from`…`to` came in time; append an event.
    case gap(session: SessionID, from: FrameSequence, to: FrameSequence)
    /// The time set by ``SessionTable/wake(_:at:)`` has come.
    case wake(SessionID)
}

/// A held frame that can be recorded now.
public struct ReleasedFrame: Hashable, Sendable {
    public var session: SessionID
    public var header: FrameHeader
    public var payload: [UInt8]
    public var arrivalTime: Timestamp
}

/// The answer to a hello.
public enum OpenDecision: Hashable, Sendable {
    /// - Parameters:
    ///   - acknowledged: Ack for the welcome: the device continues after it.
    ///   - isNew: The session needs a head record before its first frame.
    ///   - replaces: Close this connection with ``CloseCode/replaced``.
    case opened(acknowledged: FrameSequence, isNew: Bool, replaces: ConnectionID?)
    /// The session belongs to another device: ``CloseCode/tokenRefused``.
    case foreign
    /// The device has begun too many sessions: ``CloseCode/tooManyRequests``.
    case crowded
}

/// A new ack for a device.
public struct SessionAck: Hashable, Sendable {
    public var connection: ConnectionID
    public var session: SessionID
    /// Every accepted frame up to this one is on disk. Until a device numbers its frames, this is
    /// the count of its frames on disk. It never falls within a connection.
    public var sequence: FrameSequence
}
