import SensorModel

/// Every bound a listener puts on strangers, in one place; all of them are settings.
public struct ConnectionLimits: Hashable, Sendable {
    public var connectionsMax = 10_000
    /// Those that have proved nothing; see ``ConnectionClass``.
    public var unauthenticatedMax = 256
    /// Strangers and viewers of one address beyond loopback. Networks have more together: a /64
    /// twice, a /56 or an IPv4 /24 four times, a /48 eight times as many.
    public var connectionsPerAddressMax = 64
    /// Request line and headers together.
    public var headerBytesMax = Limits.httpHeaderBytesMax
    public var bodyBytesMax = Limits.httpBodyBytesMax
    public var webSocketMessageBytesMax = Limits.webSocketMessageBytesMax
    public var textLineBytesMax = Limits.textLineBytesMax
    /// From the first byte the peer could have sent to the end of the headers; TLS included.
    public var headerSeconds = 10
    /// A body may always take this long, and longer only at ``bodyBytesPerSecondMin``.
    public var bodySeconds = 10
    public var bodyBytesPerSecondMin = 1024
    /// A kept-alive HTTP connection without a request.
    public var idleSeconds = 60
    public var helloSeconds = 5
    /// A reader's socket that everybody may open names a share within.
    public var joinSeconds = 10
    /// A TCP device that says nothing; WebSocket peers are pinged instead.
    public var deviceSilenceSeconds = 600
    /// A TCP device that sends no more, and waits for its last acks.
    public var halfClosedSeconds = 30
    /// Frames of one device in 10 s of its own time, a second; what was measured more than 10 s
    /// before it came does not count. More close its connections (4029).
    public var framesPerSecondMax = 20_000
    public var pingSeconds = 30
    /// A server-sent stream's sign of life.
    public var eventStreamCommentSeconds = 15
    /// More refused frames than this within ``refusalWindowSeconds`` close a device's connection.
    public var refusalsMax = 100
    public var refusalWindowSeconds = 10

    public init() {}
}
