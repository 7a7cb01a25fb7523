public import SensorModel

/// A message from a loop to the pipeline: one record of the loop's inbound ring.
///
///     opened   0 | format | transport | recorded | 0×4 | connection | arrival | device |
///              session | token hash
///     frame    1 | kind | 0×2 | sequence | connection | arrival | device time | payload …
///     refused  2 | 0×3 | sequence | connection | arrival
///     closed   3 | 0×7 | connection | arrival
///     finished 4 | 0×7 | connection | arrival
///
/// Numbers are little-endian. Decode a record with ``init(record:)``. A frame's payload follows the
/// first ``frameHeadBytes`` bytes and stays in the ring, so that no frame is copied twice.
public enum InboundMessage: Hashable, Sendable {
    case opened(DeviceOpening)
    case frame(FrameArrival)
    /// A frame that used its sequence number and must not be recorded.
    case refused(ConnectionID, FrameSequence, arrival: Timestamp)
    case closed(ConnectionID, arrival: Timestamp)
    /// The device sends no more but still reads: it waits for ``OutboundMessage/finished(_:)``.
    case finished(ConnectionID, arrival: Timestamp)

    public static let frameHeadBytes = 32
}

public struct DeviceOpening: Hashable, Sendable {
    public var connection: ConnectionID
    public var device: DeviceID
    /// Hash of the token that admitted the device; zero: each push request proves its own.
    public var tokenHash: SecretHash
    public var session: SessionID
    public var recorded: Bool
    public var format: DeviceFormat
    public var transport: DeviceTransport
    public var arrival: Timestamp

    public init(
        connection: ConnectionID, device: DeviceID, tokenHash: SecretHash, session: SessionID,
        recorded: Bool, format: DeviceFormat, transport: DeviceTransport, arrival: Timestamp
    ) {
        self.connection = connection
        self.device = device
        self.tokenHash = tokenHash
        self.session = session
        self.recorded = recorded
        self.format = format
        self.transport = transport
        self.arrival = arrival
    }
}

public struct FrameArrival: Hashable, Sendable {
    public var connection: ConnectionID
    public var arrival: Timestamp
    public var header: FrameHeader

    @inlinable
    public init(connection: ConnectionID, arrival: Timestamp, header: FrameHeader) {
        self.connection = connection
        self.arrival = arrival
        self.header = header
    }
}
