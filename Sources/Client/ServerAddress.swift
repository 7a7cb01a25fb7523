/// The server that a client connects to: `tcp://host:7420`, `ws://host:7480/v1/device`,
/// `https://host/s/ID`.
public struct ServerAddress: Hashable, Sendable {
    public enum Scheme: String, Hashable, Sendable, CaseIterable {
        case tcp
        /// Device frames over TLS.
        case tcps
        case ws
        case wss
        case http
        case https
        /// HTTP over a Unix socket; `host` is the socket's path.
        case unix

        public var hasTLS: Bool { self == .tcps || self == .wss || self == .https }

        var defaultPort: Int {
            switch self {
            case .tcp, .tcps: 7420
            case .ws, .http: 80
            case .wss, .https: 443
            case .unix: 0
            }
        }
    }

    public var scheme: Scheme
    public var host: String
    public var port: Int
    /// Path and query, from the slash on.
    public var target: String

    public init(scheme: Scheme, host: String, port: Int, target: String = "/") {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.target = target
    }

    /// - Throws: ``ClientError/badAddress(_:)``
    public init(_ text: String) throws(ClientError) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let scheme = Scheme(rawValue: parts[0].lowercased()) else {
            throw .badAddress(text)
        }
        let rest = parts[1]
        if scheme == .unix {
            self.init(scheme: scheme, host: String(rest), port: 0)
            return
        }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        var target = String(rest[end...])
        if !target.hasPrefix("/") { target = "/" + target }
        var host = rest[..<end]
        var port = scheme.defaultPort
        // The last colon separates the port, unless it is inside an IPv6 address.
        if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
            guard let number = Int(host[host.index(after: colon)...]), (1...65_535).contains(number)
            else { throw .badAddress(text) }
            port = number
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .badAddress(text)
        }
        self.init(scheme: scheme, host: String(host), port: port, target: target)
    }

    /// Value of the `Host` field.
    var authority: String {
        let bare = host.contains(":") ? "[\(host)]" : host
        return port == scheme.defaultPort ? bare : "\(bare):\(port)"
    }
}

extension ServerAddress: CustomStringConvertible {
    public var description: String {
        scheme == .unix ? host : "\(scheme.rawValue)://\(authority)"
    }
}
