import SensorModel

/// The limits of a listener on its peers; all of them are settings.
public struct ConnectionLimits: Hashable, Sendable {
    public var connectionsMax = 10_000
    /// Connections that have proved nothing; see ``ConnectionClass``.
    public var unauthenticatedMax = 256
    /// Strangers and viewers per address beyond loopback. Networks have higher limits: a /64 twice,
    /// a /56 or an IPv4 /24 four times, a /48 eight times as many.
    public var connectionsPerAddressMax = 64
    /// Connections that have proved a token of the same device: its sessions, its phone's requests,
    /// and its owner's pages. One more closes the oldest of them.
    public var connectionsPerDeviceMax = 64
    /// Request line and headers together.
    public var headerBytesMax = Limits.httpHeaderBytesMax
    public var bodyBytesMax = Limits.httpBodyBytesMax
    public var webSocketMessageBytesMax = Limits.webSocketMessageBytesMax
    public var textLineBytesMax = Limits.textLineBytesMax
    /// Time from the first byte that the peer could have sent to the end of the headers, with TLS.
    public var headerSeconds = 10
    /// A body may always take this long; longer only at ``bodyBytesPerSecondMin``.
    public var bodySeconds = 10
    public var bodyBytesPerSecondMin = 1024
    /// Idle time of a kept-alive HTTP connection.
    public var idleSeconds = 60
    public var helloSeconds = 5
    /// A socket of a reader interface must name a share within this time.
    public var joinSeconds = 10
    /// Silence of a TCP device; WebSocket peers are pinged instead.
    public var deviceSilenceSeconds = 600
    /// Time for the last acks of a TCP device that has ended its side.
    public var halfClosedSeconds = 30
    /// Frames per second of one device, over 10 s of its own time. Frames measured more than 10 s
    /// before arrival are not counted. A higher rate closes its connections (4029).
    public var framesPerSecondMax = 20_000
    public var pingSeconds = 30
    /// Interval of the keep-alive comments in a server-sent stream.
    public var eventStreamCommentSeconds = 15
    /// More refused frames than this within ``refusalWindowSeconds`` close a device's connection.
    public var refusalsMax = 100
    public var refusalWindowSeconds = 10

    public init() {}
}
