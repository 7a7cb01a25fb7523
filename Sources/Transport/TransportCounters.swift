public import Synchronization

/// What the doors have seen; read by the metrics page, written by the loops.
public final class TransportCounters: Sendable {
    public let devicesConnected = Atomic<Int>(0)
    public let viewersConnected = Atomic<Int>(0)
    public let connectionsOpen = Atomic<Int>(0)
    public let connectionsAccepted = Atomic<Int>(0)
    public let connectionsRefused = Atomic<Int>(0)
    /// Frames by transport and format: TCP text, TCP binary, WebSocket text, WebSocket binary.
    public let framesTCPText = Atomic<Int>(0)
    public let framesTCPBinary = Atomic<Int>(0)
    public let framesWebSocketText = Atomic<Int>(0)
    public let framesWebSocketBinary = Atomic<Int>(0)
    public let framesPushed = Atomic<Int>(0)
    /// Times a loop found its inbound ring full and stopped reading a connection.
    public let ringFull = Atomic<Int>(0)
    public let updatesMerged = Atomic<Int>(0)
    public let deliveries = Atomic<Int>(0)
    public let viewersTooSlow = Atomic<Int>(0)
    public let httpRequests = Atomic<Int>(0)
    public let httpRefused = Atomic<Int>(0)
}
