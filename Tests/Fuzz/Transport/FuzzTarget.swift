import FuzzDriver

/// Fuzz targets for input that only the outer targets parse; they run like the core's targets.
enum FuzzTarget: String, Fuzzable {
    /// A connection of an HTTP listener: request heads, bodies, following bytes, upgrades.
    case http
    /// Bytes that a client sends over an open WebSocket.
    case webSocket = "websocket"
    /// Bytes received by a TLS listener.
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
