import Client
import Transport

/// Where the daemon connects to for somebody who holds a device's token: to the internet over TLS,
/// and to servers that the daemon's owner trusts wherever they are, as `host` or `host:port`.
/// Without a port only those of HTTP and HTTPS are meant: other programs of a machine are not.
struct TrustedHosts: Sendable {
    private let names: Set<String>

    init(_ names: [String]) {
        self.names = Set(names.map { $0.lowercased() })
    }

    private func contains(_ address: ServerAddress) -> Bool {
        let host = address.host.lowercased()
        let bare = host.contains(":") ? "[\(host)]" : host
        let isUsual = address.port == (address.scheme == .https ? 443 : 80)
        return names.contains("\(bare):\(address.port)")
            || isUsual && (names.contains(bare) || names.contains(host))
    }

    /// Which addresses are allowed; `nil`: this one. A name is checked only when it is resolved.
    func allowed(insteadOf address: ServerAddress) -> String? {
        let isTrusted = contains(address)
        guard address.scheme == .https || address.scheme == .http && isTrusted else {
            return "https://host/…, and http to hosts in the daemon's alerts.trusted_hosts"
        }
        if let found = PeerAddress(address.host), !found.isOfInternet, !isTrusted {
            return "an address of the internet, or a host in alerts.trusted_hosts"
        }
        return nil
    }

    /// - Parameters:
    ///   - address: Address of a server.
    ///   - bodyBytesMax: Longest answer.
    /// - Returns: A client of it; `nil`: it is not allowed, or not any more.
    func client(for address: ServerAddress, bodyBytesMax: Int) -> HTTPClient? {
        guard allowed(insteadOf: address) == nil else { return nil }
        return HTTPClient(
            address, bodyBytesMax: bodyBytesMax,
            reach: contains(address) ? .anywhere : .publicAddresses)
    }
}
