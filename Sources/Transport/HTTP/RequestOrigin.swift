/// Where a request came from, as far as the daemon can know.
///
/// The other end of the socket decides. What a client says can only lose it the permission: header
/// fields are not believed, except for those of a trusted proxy.
struct RequestOrigin {
    /// The other end of the socket.
    let peer: PeerAddress
    let fields: HTTPFields
    let proxies: [PeerAddress]

    /// Fields by which a proxy tells that it forwards. One that is no trusted proxy must not make
    /// its clients look like programs of this machine.
    private static let forwardingFields = [
        "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip",
    ]

    /// Whether the request came from this machine, or through a trusted proxy over TLS.
    ///
    /// A proxy's own address never counts as this machine: a client can make some proxies leave out
    /// their fields, by naming them in `Connection`. A Unix socket may be a proxy's, too.
    var isOwners: Bool {
        if proxies.contains(peer) {
            let schemes = RequestHead.list(fields.values("x-forwarded-proto"))
            return schemes.last.map { HTTPFields.same($0, "https") } ?? false
        }
        return peer.isLoopback && !peer.isUnixSocket && namesLoopback
            && Self.forwardingFields.allSatisfy { fields[$0] == nil }
    }

    /// Whether `Host` is a name of this machine that nobody else can give. A browser sends the name
    /// of the page's site, so a site whose name leads to 127.0.0.1 (DNS rebinding) is refused.
    private var namesLoopback: Bool {
        guard let host = fields["host"] else { return false }
        return HTTPFields.same(String(host.prefix { $0 != ":" }), "localhost")
            || PeerAddress(host)?.isLoopback ?? false
    }
}

extension HTTPService {
    func match(_ head: RequestHead, from peer: PeerAddress) -> Router.Match {
        router.match(
            head.method, head.path,
            isOwners: RequestOrigin(peer: peer, fields: head.fields, proxies: trustedProxies)
                .isOwners)
    }
}
