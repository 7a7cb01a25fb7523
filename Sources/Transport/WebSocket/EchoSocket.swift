import SensorModel

/// Returns every message unchanged, for the public conformance suite.
final class EchoSocket: WebSocketEndpoint {
    /// The suite's largest message.
    static let messageBytesMax = 16 << 20
    var messageBytesMax: Int { Self.messageBytesMax }
    let tooLargeCode = WebSocketRefusal.messageTooLarge.closeCode
    let limits: ConnectionLimits
    private var socket: WebSocketChannel?

    init(_ socket: UpgradedSocket) {
        limits = socket.service.limits
    }

    func opened(_ socket: WebSocketChannel) {
        self.socket = socket
    }

    func received(_ kind: ServerFrame.Kind, _ message: Span<UInt8>) -> Bool {
        var payload: [UInt8] = []
        payload.reserveCapacity(message.count)
        for index in message.indices { payload.append(message[index]) }
        socket?.send(ServerFrame.encode(kind, payload))
        return true
    }

    func goAway(_ code: CloseCode) {
        socket?.close(code)
    }

    func closed() {
        socket = nil
    }
}
