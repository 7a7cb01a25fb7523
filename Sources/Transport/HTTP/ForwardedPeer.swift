/// Who is behind a proxy that we trust.
struct ForwardedPeer: Hashable, Sendable {
    let address: PeerAddress
    let isSecure: Bool

    /// - Parameters:
    ///   - peer: The other end of the socket.
    ///   - isSecure: By our own TLS.
    ///   - fields: Of the request.
    ///   - proxies: Whose word counts.
    init(peer: PeerAddress, isSecure: Bool, fields: HTTPFields, proxies: [PeerAddress]) {
        guard proxies.contains(peer) else {
            address = peer
            self.isSecure = isSecure
            return
        }
        // Each proxy appends whom it saw: from the right, the first that is none of ours is the
        // last that can be believed. What stands left of it anybody may have written.
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
