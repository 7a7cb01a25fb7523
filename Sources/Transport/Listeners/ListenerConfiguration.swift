/// The source of a listener's socket.
public enum ListenAddress: Hashable, Sendable {
    /// Port 0 selects any free port.
    case tcp(host: String, port: Int)
    /// A socket that already listens, passed by systemd.
    case descriptor(Int32)
    /// Created with mode 0600; a stale file with that name is replaced.
    case unixSocket(path: String)
}

/// Configuration of one listener: address, service, limits.
public struct ListenerConfiguration: Sendable {
    public enum Service: Sendable {
        case device
        case http(Router)
    }

    /// The key, as "device", under which ``TransportServer/start()`` reports the actual address.
    public var name: String
    public var address: ListenAddress
    /// Makes the path of a spare Unix socket, used while the disk refuses one at ``address``;
    /// `nil`: there is none.
    public var spareSocket: @Sendable () -> String?
    public var service: Service
    /// `nil`: the listener speaks plain text.
    public var identity: TLSIdentity?
    public var limits: ConnectionLimits
    /// The class of its connections before they prove anything.
    public var connections: ConnectionClass
    /// Peers whose `X-Forwarded-For` is trusted.
    public var trustedProxies: [PeerAddress]
    /// Origins from which a browser may open a WebSocket, beside the page's own; `*`: any.
    public var allowedOrigins: [String]
    /// Headers of every HTTP response that does not set them.
    public var securityHeaders: HTTPFields

    /// Without `connections`, connections are the owner's on a Unix socket, strangers' elsewhere.
    public init(
        name: String, address: ListenAddress,
        spareSocket: @escaping @Sendable () -> String? = { nil }, service: Service,
        identity: TLSIdentity? = nil,
        limits: ConnectionLimits = ConnectionLimits(), connections: ConnectionClass? = nil,
        trustedProxies: [PeerAddress] = [],
        allowedOrigins: [String] = [], securityHeaders: HTTPFields = HTTPFields()
    ) {
        self.name = name
        self.address = address
        self.spareSocket = spareSocket
        self.service = service
        self.identity = identity
        self.limits = limits
        if case .unixSocket = address {
            self.connections = connections ?? .owner
        } else {
            self.connections = connections ?? .stranger
        }
        self.trustedProxies = trustedProxies
        self.allowedOrigins = allowedOrigins
        self.securityHeaders = securityHeaders
    }
}
