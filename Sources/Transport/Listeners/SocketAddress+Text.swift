import NIOCore

extension SocketAddress {
    /// The address as `127.0.0.1:7420`, `[::1]:7420`, or a path.
    var text: String {
        if let pathname { return pathname }
        let host = ipAddress ?? "?"
        return host.contains(":") ? "[\(host)]:\(port ?? 0)" : "\(host):\(port ?? 0)"
    }

    var peer: PeerAddress { ipAddress.flatMap { PeerAddress($0) } ?? .unixSocket }
}
