/// Limits of the wait for frames out of order.
public struct IngestSettings: Hashable, Sendable {
    /// Arrival time that a hole may delay the frames after it.
    public var holdMicroseconds: Int64 = 2_000_000
    /// Frames that a hole may delay.
    public var heldFramesMax = 1000
    /// Payload bytes held in one session.
    public var heldBytesMax = 1024 * 1024
    /// Payload bytes held in all sessions.
    public var heldBytesTotalMax = 32 * 1024 * 1024

    /// Sessions of one device in memory at once.
    public var sessionsPerDeviceMax = 8
    /// Sessions of all devices; each device keeps one, whatever their number.
    public var sessionsMax = 10_000
    /// Recorded sessions of all devices, as long as the log has them.
    public var sessionsRecordedMax = 64_000

    /// What a device may add to the log a day, MiB; it may add what four days allow at once.
    public var deviceMebibytesPerDay = 2048
    /// Size above which the log's oldest segments are deleted, bytes; `nil`: they are kept.
    public var retentionBytes: Int?

    public init() {}
}
