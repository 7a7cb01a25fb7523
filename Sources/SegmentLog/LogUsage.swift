public import SensorModel

/// Size of the log on disk, and pending or failed maintenance.
public struct LogUsage: Hashable, Sendable {
    public var segments = 0
    /// Written bytes of all segments.
    public var bytes = 0
    /// Arrival of the oldest record; `nil`: the log is empty.
    public var oldestArrival: Timestamp?
    /// Segments that a failure left open, or half erased, and that are not repaired yet.
    public var unrepaired = 0
    /// Segments that retention removed from the log but could not delete; ``bytes`` has them.
    public var overdue = 0
    /// Segments that retention has deleted since the log was opened.
    public var deletedSegments = 0
    public var deletedBytes = 0
    /// Errors of retention and repair since the log was opened.
    public var failures = 0
    /// How far the wall clock is ahead of the time by which retention measures age.
    public var clockAheadSeconds = 0.0
}

/// Result of ``SegmentLog/repair()``.
public struct LogRepair: Hashable, Sendable {
    /// Segments that were repaired.
    public var segments = 0
    /// Records that the repaired segments lack.
    public var damaged: [LogDamage] = []
    /// Segments that could not be repaired.
    public var left = 0
    /// The first error.
    public var error: DiskError?

    mutating func note(_ error: DiskError) {
        left += 1
        self.error = self.error ?? error
    }
}
