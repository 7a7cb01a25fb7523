/// How long and how much the session table waits for frames out of order.
public struct IngestSettings: Hashable, Sendable {
    /// Arrival time that a hole may hold back what follows it.
    public var holdMicroseconds: Int64 = 2_000_000
    /// Frames that a hole may hold back.
    public var heldFramesMax = 1000
    /// Payload bytes held back in one session.
    public var heldBytesMax = 1024 * 1024
    /// Payload bytes held back in all of them.
    public var heldBytesTotalMax = 64 * 1024 * 1024

    /// Sessions of one device that live at once.
    public var sessionsPerDeviceMax = 8
    /// And of all devices; each keeps one, however many there are.
    public var sessionsMax = 10_000

    public init() {}
}
