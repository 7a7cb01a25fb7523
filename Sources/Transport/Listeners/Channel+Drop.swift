import NIOCore

/// An order to close a connection at once, whatever waits to be sent. ``FlushGate`` obeys it.
struct ConnectionDrop: Sendable {
    /// Whether the kernel drops what it has not sent yet, too. Else it keeps it until the peer has
    /// read it, or for a quarter of an hour.
    let isReset: Bool
}

extension Channel {
    /// Closes at once, from any thread.
    ///
    /// `close` asks all handlers, and the TLS library first sends what waits and a closing message. To
    /// a peer that reads nothing it takes 5 s, with memory and a descriptor that nobody counts any
    /// more.
    ///
    /// - Parameter isReset: Whether what was sent last may be lost, too.
    func drop(isReset: Bool = true) {
        triggerUserOutboundEvent(ConnectionDrop(isReset: isReset), promise: nil)
    }
}
