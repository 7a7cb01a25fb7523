/// The point at which an append counts as done.
public enum LogDurability: Hashable, Sendable {
    /// After fdatasync; one sync serves all appends that waited for it.
    case always
    /// After the write, with a sync at this interval. Acknowledgements must say that they are not
    /// durable.
    case interval(milliseconds: Int)
    /// After the write; the kernel decides when to sync.
    case os

    /// Whether an acknowledgement may claim durability.
    public var isDurable: Bool { self == .always }
}

public struct LogConfiguration: Hashable, Sendable {
    public var durability: LogDurability
    /// A segment is sealed before it grows past this.
    public var segmentBytesMax: Int
    /// Maximum of appended bytes that are not synced; further appends are refused until the disk
    /// has caught up.
    public var pendingBytesMax: Int
    /// Space reserved on disk, so that the data in memory can be written to a full disk; 0: none.
    public var reserveBytes: Int
    /// Minimum time from the start of one sync to the start of the next, unless 16 KiB are pending.
    /// A shorter gap would only cost processor time. The gap is longer after many records and on
    /// slow disks: ``syncGapMicroseconds(after:took:)``.
    public var syncGapMicroseconds: Int
    /// Epoch of a log that starts empty, drawn at random at each start; an existing log keeps its
    /// own. At the first start after a restore its bits choose the jump of the offsets.
    public var newEpoch: UInt32
    /// Jump of the offsets after an unclean end, at least 2²³ (8.4 s, as offsets are arrival times
    /// in µs). It is larger where another writer of the same history may not know yet that its time
    /// is over: what it still appends must not have the same offsets.
    public var offsetJump: UInt64

    public init(
        durability: LogDurability = .always, segmentBytesMax: Int = 64 << 20,
        pendingBytesMax: Int = 64 << 20, reserveBytes: Int = 8 << 20,
        syncGapMicroseconds: Int = 1000, newEpoch: UInt32 = 1,
        offsetJump: UInt64 = 1 << 23
    ) {
        self.durability = durability
        self.segmentBytesMax = segmentBytesMax
        self.pendingBytesMax = pendingBytesMax
        self.reserveBytes = reserveBytes
        self.syncGapMicroseconds = syncGapMicroseconds
        self.newEpoch = newEpoch
        self.offsetJump = offsetJump
    }

    /// Computes the minimum time between the starts of two syncs.
    ///
    /// The gap is 5 ms per record, because a sync costs the same for two records as for fifty. It
    /// is at least twenty times the duration of the last sync, because disks take between half a
    /// millisecond and thirty. The maximum is 50 ms.
    ///
    /// - Parameters:
    ///   - records: Number of records in the last sync.
    ///   - took: Duration of the last sync in microseconds.
    /// - Returns: Minimum time from its start to the start of the next, unless 16 KiB are pending.
    package func syncGapMicroseconds(after records: Int, took: Int) -> Int {
        max(syncGapMicroseconds, min(max(records * 5000, took * 20), 50_000))
    }
}
