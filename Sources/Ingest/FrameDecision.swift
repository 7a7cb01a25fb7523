public import SensorModel

/// What becomes of a frame.
public enum FrameDecision: Hashable, Sendable {
    /// Append it now, with the device's own sequence, or with none; then say where with
    /// ``SessionTable/recorded(_:sequence:late:at:)``.
    ///
    /// `late` marks a frame that fills a gap: it must not move "now" backwards.
    case record(session: SessionID, sequence: FrameSequence, late: Bool)
    /// The session had it before; drop and count it.
    case duplicate
    /// Copied, until what is missing before it comes or is given up.
    case held
    /// The connection has no session, or another one took it over: drop it, unacknowledged.
    case notOpen
}

/// What ``SessionTable/popReleased()`` hands out, to be recorded in this order.
public enum Release: Hashable, Sendable {
    case frame(ReleasedFrame)
    /// Nothing in `from`…`to` came in time; append it as an event.
    case gap(session: SessionID, from: FrameSequence, to: FrameSequence)
    /// The moment set by ``SessionTable/wake(_:at:)`` has come.
    case wake(SessionID)
}

/// A frame that was held back and has its turn now.
public struct ReleasedFrame: Hashable, Sendable {
    public var session: SessionID
    public var header: FrameHeader
    public var payload: [UInt8]
    public var arrivalTime: Timestamp
}

/// The answer to a hello.
public enum OpenDecision: Hashable, Sendable {
    /// - Parameters:
    ///   - acknowledged: For the welcome: where the device goes on.
    ///   - isNew: The session needs a head record before its first frame.
    ///   - replaces: Close this connection with ``CloseCode/replaced``.
    case opened(acknowledged: FrameSequence, isNew: Bool, replaces: ConnectionID?)
    /// The session belongs to another device: ``CloseCode/tokenRefused``.
    case foreign
}

/// News for a device.
public struct SessionAck: Hashable, Sendable {
    public var connection: ConnectionID
    public var session: SessionID
    /// Everything accepted up to it is on disk. Never below an earlier one, but for a device that
    /// begins to number: until then it is told how many frames without a number are on disk.
    public var sequence: FrameSequence
}
