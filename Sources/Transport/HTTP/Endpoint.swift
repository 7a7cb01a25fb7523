/// What is behind a route.
public enum Endpoint: Sendable {
    /// Called on a task of its own; the answers of one connection go out in order of the requests.
    case respond(@Sendable (HTTPRequest) async -> HTTPResponse)
    /// A device's WebSocket, spoken as contract 3 says.
    case deviceSocket
    /// A viewer's WebSocket. The pattern has the parameter `share`.
    case viewerSocket
    /// The same as server-sent events. The pattern has the parameter `share`.
    case eventStream
    /// Everything comes back as it came: for conformance tests.
    case echo
    /// A WebSocket that speaks somebody else's protocol.
    case socket(SocketProgram)
}

/// A WebSocket protocol beside our own: push and reader interfaces of other applications.
public struct SocketProgram: Sendable {
    /// What becomes of a request to open the socket.
    public enum Admission: Sendable {
        case refused(HTTPResponse)
        /// Runs for as long as the socket is open; returning closes it.
        case admitted(@Sendable (SocketConversation) async -> Void)
    }

    /// Offered names that may be echoed in `Sec-WebSocket-Protocol`.
    public var subprotocols: [String]
    /// What a socket that was admitted has proved: it named a share, or a device's token. `nil`:
    /// nothing yet; it is closed (4001) unless ``SocketConversation/joined(_:)`` comes in time.
    public var proof: ConnectionClass?
    /// A larger message closes the socket (1009).
    public var messageBytesMax: Int
    /// Asked once, before the upgrade.
    public var admit: @Sendable (HTTPRequest) async -> Admission

    /// What readers of other protocols say is a topic or nothing; theirs needs 200 bytes.
    public static let readerMessageBytesMax = 2048

    public init(
        subprotocols: [String] = [], proof: ConnectionClass? = .viewer,
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
    /// Ends when the peer is gone. The peer is not read while messages wait here.
    public let messages: AsyncStream<SocketMessage>
    let sendMessage: @Sendable (SocketMessage) -> Void
    let join: @Sendable (ConnectionClass?) -> Void
    let closeSocket: @Sendable (UInt16) -> Void

    /// A peer that does not read what it is sent is closed (4008).
    public func send(_ message: SocketMessage) { sendMessage(message) }

    /// The peer has said what it came for, and is not closed for want of it.
    ///
    /// - Parameter proof: What it has proved by that; it is closed (4029) where there is no place
    ///   for one more of them.
    public func joined(_ proof: ConnectionClass?) { join(proof) }

    /// - Parameter code: A WebSocket close code, 1000…4999.
    public func close(code: UInt16 = 1000) { closeSocket(code) }
}
