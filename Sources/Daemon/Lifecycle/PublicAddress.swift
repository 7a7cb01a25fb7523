import Synchronization

/// What links begin with: known once the doors are open.
final class PublicAddress: Sendable {
    private let text = Mutex("")

    var url: String { text.withLock { $0 } }

    func set(configuration: Configuration, addresses: [String: String]) {
        let http = addresses["http"] ?? ""
        let scheme = configuration.httpListener.tls ? "https" : "http"
        let configured = configuration.http.publicURL
        text.withLock { $0 = configured.isEmpty ? "\(scheme)://\(http)" : configured }
    }
}
