public import SensorModel

/// The handler behind a route.
public enum Endpoint: Sendable {
    /// Called on a task of its own. Answers of one connection are sent in the order of its
    /// requests.
    case respond(@Sendable (HTTPRequest) async -> HTTPResponse)
    /// A device's WebSocket, with the protocol of devices.
    case deviceSocket
    /// A viewer's WebSocket. The pattern has the parameter `share`.
    case viewerSocket
    /// A viewer's server-sent events. The pattern has the parameter `share`.
    case eventStream
    /// Returns every message unchanged, for conformance tests.
    case echo
    /// A WebSocket that speaks another application's protocol.
    case socket(SocketProgram)
}

/// A WebSocket protocol of another application, for its push and reader interfaces.
public struct SocketProgram: Sendable {
    /// The decision on a request to open the socket.
    public enum Admission: Sendable {
        case refused(HTTPResponse)
        /// Runs for as long as the socket is open; returning closes it.
        case admitted(@Sendable (SocketConversation) async -> Void)
        /// The same for a request with a token of this device.
        case admittedDevice(DeviceID, @Sendable (SocketConversation) async -> Void)
    }

    /// Subprotocol names that may be confirmed in `Sec-WebSocket-Protocol`.
    public var subprotocols: [String]
    /// The proof that an admission implies. `nil`: none; the socket is closed (4001) unless
    /// ``SocketConversation/joined(_:)`` is called in time.
    public var proof: ConnectionProof?
    /// A larger message closes the socket (1009).
    public var messageBytesMax: Int
    /// Called once, before the upgrade.
    public var admit: @Sendable (HTTPRequest) async -> Admission

    /// The message limit of reader interfaces: readers send a topic of 200 bytes, or nothing.
    public static let readerMessageBytesMax = 2048

    public init(
        subprotocols: [String] = [], proof: ConnectionProof? = .viewer,
        messageBytesMax: Int = Self.readerMessageBytesMax,
        admit: @escaping @Sendable (HTTPRequest) async -> Admission
    ) {
        self.subprotocols = subprotocols
        self.proof = proof
        self.messageBytesMax = messageBytesMax
        self.admit = admit
    }
}

public enum SocketMessage: Hashable, Sendable {
    case text(String)
    case binary([UInt8])

    var bytes: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}

/// One WebSocket as a program sees it.
public struct SocketConversation: Sendable {
    /// Ends when the peer has disconnected. The peer's socket is not read while messages wait here.
    public let messages: AsyncStream<SocketMessage>
    let sendMessage: @Sendable (SocketMessage) -> Void
    let join: @Sendable (ConnectionProof?) -> Void
    let closeSocket: @Sendable (UInt16) -> Void

    /// Sends a message. A peer that does not read its messages is closed (4008).
    public func send(_ message: SocketMessage) { sendMessage(message) }

    /// Reports that the peer has sent the opening message of its protocol, which ends the time
    /// limit for it.
    ///
    /// - Parameter proof: The peer's proof. The socket is closed (4029) if there is no place for
    ///   one more of that class.
    public func joined(_ proof: ConnectionProof?) { join(proof) }

    /// - Parameter code: A WebSocket close code, 1000…4999.
    public func close(code: UInt16 = 1000) { closeSocket(code) }
}
