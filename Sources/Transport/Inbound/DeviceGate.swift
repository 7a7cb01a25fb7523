public import SensorModel
public import WireFormat

/// Decides who may send. The daemon implements it; loops call it, so it must return at once.
///
/// That a device is there, and that it is gone, the pipeline learns from the inbound ring, in order
/// with its frames: ``InboundMessage/opened(_:)`` and ``InboundMessage/closed(_:)``.
public protocol DeviceGate: Sendable {
    /// Asked once a connection, after its hello.
    func admit(_ knock: DeviceKnock) -> Result<AdmittedDevice, HandshakeRefusal>

    /// Asked before a WebSocket upgrade whose request carries a token: a wrong one is answered 401.
    func knows(token: String, peer: PeerAddress) -> Result<Void, HandshakeRefusal>
}

public enum DeviceTransport: UInt8, Sendable {
    case tcp = 0
    case webSocket = 1
    /// Frames that came as a push format's HTTP requests.
    case push = 2
}

/// How a connection spells its frames.
public enum DeviceFormat: UInt8, Sendable {
    case text = 0
    case binary = 1
}

/// A device at the door.
public struct DeviceKnock: Sendable {
    public var hello: Hello
    /// Of the WebSocket request; it stands in for the hello's own.
    public var headerToken: String?
    public var connection: ConnectionID
    public var transport: DeviceTransport
    public var format: DeviceFormat
    public var peer: PeerAddress
    public var isSecure: Bool
}

public struct AdmittedDevice: Sendable {
    public var device: DeviceID
    public var session: SessionID
    /// From the hello: device times may lie far from arrival.
    public var recorded: Bool

    public init(device: DeviceID, session: SessionID, recorded: Bool) {
        self.device = device
        self.session = session
        self.recorded = recorded
    }
}

public enum HandshakeRefusal: Error, Hashable, Sendable {
    /// 4003; also for a session that is another device's.
    case tokenRefused
    /// 4029, or 429 before an upgrade.
    case tooMany(retryAfterSeconds: Int)
    /// 1012: no new devices now.
    case restarting
}
