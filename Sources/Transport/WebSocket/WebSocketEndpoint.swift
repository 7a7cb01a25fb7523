import SensorModel

/// What is at our end of a WebSocket. Loop only.
protocol WebSocketEndpoint: AnyObject {
    /// A larger message closes the socket.
    var messageBytesMax: Int { get }
    /// The close code for that.
    var tooLargeCode: UInt16 { get }
    /// Whether it has to be looked after: pinged, and closed when it does not answer.
    var limits: ConnectionLimits { get }

    /// What it keeps of messages that it has taken.
    var heldBytes: Int { get }

    func opened(_ socket: WebSocketChannel)
    /// - Returns: `false`: no room; offer the same message again after ``WebSocketChannel/resume()``.
    func received(_ kind: ServerFrame.Kind, _ message: Span<UInt8>) -> Bool
    func readComplete()
    /// The socket has taken all that was queued.
    func drained()
    /// The daemon stops; `code` says whether it will be back at once.
    func goAway(_ code: CloseCode)
    func closed()
}

extension WebSocketEndpoint {
    var heldBytes: Int { 0 }
    func readComplete() {}
    func drained() {}
}
