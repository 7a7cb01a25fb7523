/// Where a listener gets its socket from.
public enum ListenAddress: Hashable, Sendable {
    /// Port 0 means any that is free.
    case tcp(host: String, port: Int)
    /// A socket that already listens, as systemd hands it over.
    case descriptor(Int32)
    /// Created with mode 0600; a stale file of that name is replaced.
    case unixSocket(path: String)
}

/// One door, and what is behind it.
public struct ListenerConfiguration: Sendable {
    public enum Service: Sendable {
        case device
        case http(Router)
    }

    /// What ``TransportServer/start()`` reports the actual address under, as "device".
    public var name: String
    public var address: ListenAddress
    public var service: Service
    /// Without it the listener speaks plain text.
    public var identity: TLSIdentity?
    public var limits: ConnectionLimits
    /// What its connections are before they prove anything.
    public var connections: ConnectionClass
    /// Peers whose `X-Forwarded-For` is believed.
    public var trustedProxies: [PeerAddress]
    /// Origins a browser may open a WebSocket from, beside the page's own; `*`: any.
    public var allowedOrigins: [String]
    /// Headers of every HTTP response that does not set them itself.
    public var securityHeaders: HTTPFields

    /// Without `connections` its connections are the owner's on a Unix socket, strangers' elsewhere.
    public init(
        name: String, address: ListenAddress, service: Service, identity: TLSIdentity? = nil,
        limits: ConnectionLimits = ConnectionLimits(), connections: ConnectionClass? = nil,
        trustedProxies: [PeerAddress] = [],
        allowedOrigins: [String] = [], securityHeaders: HTTPFields = HTTPFields()
    ) {
        self.name = name
        self.address = address
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
