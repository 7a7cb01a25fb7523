public import SensorModel

/// What the log keeps on disk, and what its upkeep could not do.
public struct LogHoldings: Hashable, Sendable {
    public var segments = 0
    /// Of all segments, as far as they are written.
    public var bytes = 0
    /// Arrival of the oldest record; `nil`: none is kept.
    public var oldestArrival: Timestamp?
    /// Segments that a failure left open, or half erased, and that are still to be repaired.
    public var unrepaired = 0
    /// Segments that the last retention wanted to delete and could not.
    public var overdue = 0
    /// What retention has deleted since the log was opened.
    public var deletedSegments = 0
    public var deletedBytes = 0
    /// Times retention or repair has met an error since the log was opened.
    public var failures = 0
}

/// What ``SegmentLog/repair()`` did.
public struct LogRepair: Hashable, Sendable {
    /// Segments that are whole again.
    public var segments = 0
    /// What they do not hold any more.
    public var damaged: [LogDamage] = []
    /// Segments that are not.
    public var left = 0
    /// The first error met.
    public var error: DiskError?

    mutating func note(_ error: DiskError) {
        left += 1
        self.error = self.error ?? error
    }
}
