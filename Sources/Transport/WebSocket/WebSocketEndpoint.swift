import SensorModel

/// The daemon's side of a WebSocket. Loop only.
protocol WebSocketEndpoint: AnyObject {
    /// A larger message closes the socket.
    var messageBytesMax: Int { get }
    /// The close code for a message that is too large.
    var tooLargeCode: UInt16 { get }
    /// Limits, among them the interval of pings.
    var limits: ConnectionLimits { get }

    /// Bytes of accepted messages that the endpoint holds.
    var heldBytes: Int { get }

    func opened(_ socket: WebSocketChannel)
    /// - Returns: `false`: no space; offer the same message again after
    ///   ``WebSocketChannel/resume()``.
    func received(_ kind: ServerFrame.Kind, _ message: Span<UInt8>) -> Bool
    func readComplete()
    /// Called when the socket has taken all queued bytes.
    func drained()
    /// Called when the daemon stops; `code` tells whether it restarts at once.
    func goAway(_ code: CloseCode)
    func closed()
}

extension WebSocketEndpoint {
    var heldBytes: Int { 0 }
    func readComplete() {}
    func drained() {}
}
