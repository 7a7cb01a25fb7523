public import SensorModel

/// Which connection speaks for which session, in which order its frames count, and what may be
/// acknowledged. Runs on the pipeline thread alone, so two connections of one session need no lock.
///
///     open ─→ accept … accept ─→ record / hold / drop ─→ recorded(at:) ─→ durable(upTo:) ─→ acks
///
/// Pure: no clock, no I/O.
public struct SessionTable: Sendable {
    public enum Opening: Hashable, Sendable {
        /// The device goes on after `acked`; the older connection of the session is to be closed.
        case opened(acked: FrameSequence, replaced: ConnectionID?)
        /// The session is another device's.
        case foreign
    }

    public enum Decision: Hashable, Sendable {
        /// To be recorded now.
        case record(SessionID, late: Bool)
        case duplicate
        /// Kept until what is missing before it comes, or is given up.
        case held
        /// The connection was replaced or never opened.
        case unknownConnection
    }

    /// Something that was held and whose time has come, in order.
    public enum Released: Hashable, Sendable {
        case frame(SessionID, FrameHeader, payload: [UInt8], arrival: Timestamp)
        /// These never came; the frames after them go on.
        case gap(SessionID, from: FrameSequence, to: FrameSequence)
    }

    public init(bounds: IngestBounds = IngestBounds()) {
    }

    /// A session the log holds, at start.
    ///
    /// - Parameters:
    ///   - session: In the log.
    ///   - device: Whose it is.
    ///   - highest: Of its counted frames on disk.
    ///   - gaps: Sequences given up, oldest first.
    public mutating func restore(
        _ session: SessionID, device: DeviceID, highest: FrameSequence,
        gaps: [ClosedRange<UInt32>]
    ) {
    }

    public mutating func open(
        _ connection: ConnectionID, device: DeviceID, session: SessionID
    ) -> Opening {
        .foreign
    }

    public mutating func close(_ connection: ConnectionID) {
    }

    /// Decides about one frame. After `.record` call ``recorded(_:of:at:)``, then drain
    /// ``takeReleased()``: the frame may have been the one that others waited for.
    ///
    /// - Parameters:
    ///   - header: Valid.
    ///   - payload: Copied only when it is held.
    ///   - connection: That it came over.
    ///   - arrival: When.
    /// - Returns: What to do with it.
    public mutating func accept(
        _ header: FrameHeader, payload: Span<UInt8>, from connection: ConnectionID,
        arrival: Timestamp
    ) -> Decision {
        .unknownConnection
    }

    /// A refused frame uses its number: acks pass over it, and it is a duplicate when it comes again.
    public mutating func refuse(
        _ sequence: FrameSequence, from connection: ConnectionID, arrival: Timestamp
    ) {
    }

    /// The next thing to be recorded that is no longer held; call until `nil`.
    public mutating func takeReleased() -> Released? { nil }

    /// Gives up what was missing for too long. Drain ``takeReleased()`` afterwards.
    public mutating func advance(to now: Timestamp) {
    }

    /// When the next hole is given up; `nil`: there is none.
    public var nextDeadline: Timestamp? { nil }

    /// A frame of the session now stands at `offset`; every frame that `accept` or `takeReleased`
    /// gave out must be told, in that order.
    public mutating func recorded(
        _ sequence: FrameSequence, of session: SessionID, at offset: RecordOffset
    ) {
    }

    /// Finds what has become durable.
    ///
    /// - Parameters:
    ///   - end: The first offset that is not durable yet.
    ///   - acknowledge: Gets each connection with news, once, with its highest durable sequence.
    public mutating func durable(
        upTo end: RecordOffset, _ acknowledge: (ConnectionID, FrameSequence) -> Void
    ) {
    }

    /// The session is erased or long over: forgets it and its connections.
    ///
    /// - Returns: Connections that spoke for it.
    public mutating func forget(_ session: SessionID) -> [ConnectionID] { [] }

    /// Connections that speak for the device now.
    public func connections(of device: DeviceID) -> [ConnectionID] { [] }

    /// The session a connection speaks for.
    public func session(of connection: ConnectionID) -> SessionID? { nil }
}
