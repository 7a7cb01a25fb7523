import NIOCore

/// An order to close a connection at once, whatever waits to be sent. ``FlushGate`` obeys it.
struct ConnectionDrop: Sendable {}

extension Channel {
    /// Closes at once, from any thread.
    ///
    /// `close` asks all handlers, and the TLS library first sends what waits and a closing message. To
    /// a peer that reads nothing it takes 5 s, with memory and a descriptor that nobody counts any
    /// more.
    func drop() { triggerUserOutboundEvent(ConnectionDrop(), promise: nil) }
}
