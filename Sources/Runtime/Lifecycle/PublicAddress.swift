import Synchronization
import Transport

/// Prefix of links and the listeners' addresses; known once the listeners are open.
package final class PublicAddress: Sendable {
    private let text = Mutex("")
    private let port = Mutex(0)
    private let open = Mutex<[String: String]>([:])
    private let administration = Mutex<String?>(nil)

    package init() {}

    package var url: String { text.withLock { $0 } }
    /// Prefix of links to the administration page: the owner's proxy, or this machine. `nil`: the
    /// page can be reached by neither.
    package var administrationURL: String? { administration.withLock { $0 } }
    package var devicePort: Int { port.withLock { $0 } }
    /// The actual address of each listener by its configured name, as `127.0.0.1:7480`.
    package var listeners: [String: String] { open.withLock { $0 } }

    package func set(configuration: Configuration, addresses: [String: String]) {
        let http = addresses["http"] ?? ""
        let scheme = configuration.httpListener.tls ? "https" : "http"
        let configured = configuration.http.publicURL
        let device = addresses["device"]?.split(separator: ":").last.flatMap { Int($0) }
        port.withLock { $0 = device ?? 0 }
        open.withLock { $0 = addresses }
        text.withLock { $0 = configured.isEmpty ? "\(scheme)://\(http)" : configured }
        let proxies = configuration.http.trustedProxies
        let isProxied = configured.hasPrefix("https://") && !proxies.isEmpty
        let local = Self.local(http, proxies: proxies).map { "\(scheme)://\($0)" }
        administration.withLock { $0 = isProxied ? configured : local }
    }

    /// - Parameters:
    ///   - address: Address of a listener, as `0.0.0.0:7480`.
    ///   - proxies: Trusted proxies; their own addresses do not count as this machine.
    /// - Returns: Its address for programs of this machine; `nil` for a Unix socket, and for a
    ///   listener at another address of this machine only.
    private static func local(_ address: String, proxies: [String]) -> String? {
        guard !address.hasPrefix("/"), let colon = address.lastIndex(of: ":") else { return nil }
        let isOfAll = ["0.0.0.0", "[::]", "::"].contains(address[..<colon])
        let local = isOfAll ? "127.0.0.1\(address[colon...])" : address
        guard let peer = PeerAddress(local), peer.isLoopback else { return nil }
        return proxies.contains { PeerAddress($0) == peer } ? nil : local
    }
}
