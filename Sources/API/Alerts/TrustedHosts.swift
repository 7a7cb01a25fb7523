import Client

/// Servers that the daemon's owner trusts wherever they are, as `host` or `host:port`. Without a
/// port only those of HTTP and HTTPS are meant: other programs of a machine are not.
struct TrustedHosts: Sendable {
    private let names: Set<String>

    init(_ names: [String]) {
        self.names = Set(names.map { $0.lowercased() })
    }

    func contains(_ address: ServerAddress) -> Bool {
        let host = address.host.lowercased()
        let bare = host.contains(":") ? "[\(host)]" : host
        let isUsual = address.port == (address.scheme == .https ? 443 : 80)
        return names.contains("\(bare):\(address.port)")
            || isUsual && (names.contains(bare) || names.contains(host))
    }
}
