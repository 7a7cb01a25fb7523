/// The client behind a trusted proxy.
struct ForwardedPeer: Hashable, Sendable {
    let address: PeerAddress
    let isSecure: Bool

    /// - Parameters:
    ///   - peer: The other end of the socket.
    ///   - isSecure: Whether the socket uses our own TLS.
    ///   - fields: Header fields of the request.
    ///   - proxies: Trusted proxies.
    init(peer: PeerAddress, isSecure: Bool, fields: HTTPFields, proxies: [PeerAddress]) {
        guard proxies.contains(peer) else {
            address = peer
            self.isSecure = isSecure
            return
        }
        // Each proxy appends the address it saw. Read from the right, the first address that is not
        // a trusted proxy is the last reliable one. The client may have forged those left of it.
        var believed = peer
        for text in RequestHead.list(fields.values("x-forwarded-for")).reversed() {
            guard let next = PeerAddress(text) else { break }
            believed = next
            if !proxies.contains(next) { break }
        }
        address = believed
        let scheme = RequestHead.list(fields.values("x-forwarded-proto")).last
        self.isSecure = isSecure || scheme.map { HTTPFields.same($0, "https") } ?? false
    }
}
