public import SensorModel
public import WireFormat

/// Decides which devices may send; the daemon implements it, and loops call it, so it must not
/// block.
///
/// The pipeline receives a device's start and end by the inbound ring, in order with its frames:
/// ``InboundMessage/opened(_:)`` and ``InboundMessage/closed(_:)``.
public protocol DeviceGate: Sendable {
    /// Decides on a connection's hello; called once for each connection.
    func admit(_ handshake: DeviceHandshake) -> Result<AdmittedDevice, HandshakeRefusal>

    /// Checks the token of a WebSocket upgrade request before the upgrade; a wrong one is answered
    /// with 401.
    func knows(token: String, peer: PeerAddress) -> Result<Void, HandshakeRefusal>
}

public enum DeviceTransport: UInt8, Sendable {
    case tcp = 0
    case webSocket = 1
    /// Frames received as a push format's HTTP requests.
    case push = 2
}

/// Encoding of a connection's frames.
public enum DeviceFormat: UInt8, Sendable {
    case text = 0
    case binary = 1
}

/// A device's handshake before its admission.
public struct DeviceHandshake: Sendable {
    public var hello: Hello
    /// Token of the WebSocket request; it replaces the hello's own.
    public var headerToken: String?
    public var connection: ConnectionID
    public var transport: DeviceTransport
    public var format: DeviceFormat
    public var peer: PeerAddress
    public var isSecure: Bool
}

public struct AdmittedDevice: Sendable {
    public var device: DeviceID
    /// Hash of the token by which it was admitted.
    public var tokenHash: SecretHash
    public var session: SessionID
    /// From the hello: a recording, whose device times may lie far from arrival.
    public var recorded: Bool

    public init(
        device: DeviceID, tokenHash: SecretHash, session: SessionID, recorded: Bool
    ) {
        self.device = device
        self.tokenHash = tokenHash
        self.session = session
        self.recorded = recorded
    }
}

public enum HandshakeRefusal: Error, Hashable, Sendable {
    /// 4003; also for a session of another device.
    case tokenRefused
    /// 4029, or 429 before an upgrade.
    case tooMany(retryAfterSeconds: Int)
    /// 1012: no new devices are accepted now.
    case restarting
    /// 1013: the disk cannot store that a proof was used, or cannot read the devices.
    case unavailable
}
