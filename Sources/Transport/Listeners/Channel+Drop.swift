import NIOCore

/// An event that closes a connection at once, even with unsent data; ``FlushGate`` handles it.
struct ConnectionDrop: Sendable {
    /// Whether the kernel also drops its unsent data. Otherwise it keeps the data until the peer
    /// has read it, or for a quarter of an hour.
    let isReset: Bool
}

extension Channel {
    /// Closes at once, from any thread.
    ///
    /// `close` passes all handlers, and the TLS library first sends pending data and a closing
    /// message. With a peer that reads nothing, that takes 5 s, and occupies memory and a
    /// descriptor that are not counted any more. With a peer that has reset the connection, too:
    /// its closing message would never come, and the library's timer keeps 40 KB until it is due.
    ///
    /// - Parameter isReset: Whether the last bytes sent may be lost, too.
    func drop(isReset: Bool = true) {
        triggerUserOutboundEvent(ConnectionDrop(isReset: isReset), promise: nil)
    }
}
