import FuzzDriver

/// Strangers' bytes that only the rim reads; see the core's targets for how they are run.
enum FuzzTarget: String, Fuzzable {
    /// A connection of an HTTP listener: heads, bodies, what follows them, upgrades.
    case http
    /// What a client sends over a WebSocket once it is open.
    case webSocket = "websocket"
    /// What comes in on a TLS listener.
    case tls

    func run(_ bytes: [UInt8]) {
        switch self {
        case .http: HTTPTarget.run(bytes)
        case .webSocket: WebSocketTarget.run(bytes)
        case .tls: TLSTarget.run(bytes)
        }
    }

    /// Valid inputs to begin from.
    var seeds: [[UInt8]] {
        switch self {
        case .http: HTTPTarget.seeds
        case .webSocket: WebSocketTarget.seeds
        case .tls: TLSTarget.seeds
        }
    }
}
