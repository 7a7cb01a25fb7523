/// Limits on out-of-order frames, sessions and bytes of the log.
public struct IngestSettings: Hashable, Sendable {
    /// Longest time that a hole may delay the frames after it, by arrival clock.
    public var holdMicroseconds: Int64 = 2_000_000
    /// Maximum number of frames that a hole may delay.
    public var heldFramesMax = 1000
    /// Payload bytes held in one session.
    public var heldBytesMax = 1024 * 1024
    /// Payload bytes held in all sessions.
    public var heldBytesTotalMax = 32 * 1024 * 1024

    /// Sessions of one device in memory at once.
    public var sessionsPerDeviceMax = 8
    /// Sessions of all devices in memory; each device may have one even above this limit.
    public var sessionsMax = 10_000
    /// Sessions of all devices in the log.
    public var sessionsRecordedMax = 64_000

    /// Mebibytes that a device may add to the log a day; it may add four days' worth at once.
    public var deviceMebibytesPerDay = 2048
    /// Size in bytes above which the log's oldest segments are deleted; `nil`: they are kept.
    public var retentionBytes: Int?

    public init() {}
}
