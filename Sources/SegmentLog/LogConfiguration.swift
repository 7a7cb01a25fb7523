/// When an append counts as done.
public enum LogDurability: Hashable, Sendable {
    /// After fdatasync; one sync serves all that waited for it.
    case always
    /// After the write; synced at this interval. Acknowledgements must say that they are not
    /// durable.
    case interval(milliseconds: Int)
    /// After the write; the kernel syncs when it likes.
    case os

    /// Whether an acknowledgement may be called durable.
    public var isDurable: Bool { self == .always }
}

public struct LogConfiguration: Hashable, Sendable {
    public var durability: LogDurability
    /// A segment is sealed before it grows past this.
    public var segmentBytesMax: Int
    /// Bytes appended and not yet synced; more are refused until the disk has caught up.
    public var pendingBytesMax: Int
    /// Set aside on disk, so that a full disk still takes what is in memory; 0: none.
    public var reserveBytes: Int
    /// From the start of one sync to that of the next at least, unless 16 KiB wait: a faster disk
    /// would only burn the processor. Longer after many records and on slow disks:
    /// ``syncGapMicroseconds(after:took:)``.
    public var syncGapMicroseconds: Int
    /// The epoch of a log that starts empty; one that exists keeps its own.
    public var newEpoch: UInt32

    public init(
        durability: LogDurability = .always, segmentBytesMax: Int = 64 << 20,
        pendingBytesMax: Int = 64 << 20, reserveBytes: Int = 8 << 20,
        syncGapMicroseconds: Int = 1000, newEpoch: UInt32 = 1
    ) {
        self.durability = durability
        self.segmentBytesMax = segmentBytesMax
        self.pendingBytesMax = pendingBytesMax
        self.reserveBytes = reserveBytes
        self.syncGapMicroseconds = syncGapMicroseconds
        self.newEpoch = newEpoch
    }

    /// A sync costs the same for two records as for fifty, so the next one waits longer after many:
    /// five milliseconds for each. And one disk takes half a millisecond, another thirty: syncs have
    /// a twentieth of the time. Nobody waits longer than 50 ms.
    ///
    /// - Parameters:
    ///   - records: Of the sync before.
    ///   - took: Microseconds of that sync.
    /// - Returns: From its start to that of the next at least, unless 16 KiB wait.
    package func syncGapMicroseconds(after records: Int, took: Int) -> Int {
        max(syncGapMicroseconds, min(max(records * 5000, took * 20), 50_000))
    }
}
