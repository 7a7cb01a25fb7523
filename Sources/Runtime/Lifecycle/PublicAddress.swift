import Synchronization

/// Prefix of links; known once the listeners are open.
package final class PublicAddress: Sendable {
    private let text = Mutex("")
    private let port = Mutex(0)

    package init() {}

    package var url: String { text.withLock { $0 } }
    package var devicePort: Int { port.withLock { $0 } }

    package func set(configuration: Configuration, addresses: [String: String]) {
        let http = addresses["http"] ?? ""
        let scheme = configuration.httpListener.tls ? "https" : "http"
        let configured = configuration.http.publicURL
        let device = addresses["device"]?.split(separator: ":").last.flatMap { Int($0) }
        port.withLock { $0 = device ?? 0 }
        text.withLock { $0 = configured.isEmpty ? "\(scheme)://\(http)" : configured }
    }
}
