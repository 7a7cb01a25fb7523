public import SensorModel
import Synchronization

extension SegmentLog {
    /// State of ``retentionTime(wall:monotonic:)``.
    struct RetentionTimeState {
        var clock: RetentionClock?
        /// The time in the file.
        var stored: Timestamp?
    }

    /// Advances and stores the time by which retention measures age: ``RetentionClock``.
    ///
    /// Blocks on the disk. A time that cannot be stored is stored by a later call. Until then a
    /// start uses an earlier time, which deletes less.
    ///
    /// - Parameters:
    ///   - wall: The wall clock.
    ///   - monotonic: Monotonic time, µs.
    /// - Returns: The time by which age counts.
    public func retentionTime(wall: Timestamp, monotonic: UInt64) -> RetentionTime {
        let (time, isStored) = retentionTimes.withLock { state in
            if state.clock == nil { state.stored = RetentionTimeFile.read(from: disk) }
            var clock =
                state.clock
                ?? RetentionClock(
                    known: state.stored ?? newestArrival ?? wall, monotonic: monotonic)
            let time = clock.advance(wall: wall, monotonic: monotonic)
            state.clock = clock
            let believed = clock.believed
            if let stored = state.stored,
                abs(believed.seconds(since: stored)) < RetentionTimeFile.intervalSeconds
            {
                return (time, true)
            }
            do throws(DiskError) { try RetentionTimeFile.store(believed, on: disk) } catch {
                return (time, false)
            }
            state.stored = believed
            return (time, true)
        }
        upkeepCounts.withLock { counts in
            counts.clockAheadSeconds = time.secondsAhead
            if !isStored { counts.failures += 1 }
        }
        return time
    }

    /// Arrival of the newest record; `nil`: there is none.
    private var newestArrival: Timestamp? {
        core.withLock { core in
            guard core.catalog().contains(where: { $0.index.records > 0 }) else { return nil }
            return Timestamp(microseconds: core.latestArrival)
        }
    }
}

/// The file `retention-time` beside the segments:
///
///      0  i64  the time, µs since 1970
///      8  u32  CRC-32C of it
enum RetentionTimeFile {
    static let name = "retention-time"
    /// Maximum lag of the time in the file.
    static let intervalSeconds = 3600.0
    private static let timeBytes = 8

    /// - Returns: `nil`: there is none, or it is damaged.
    static func read(from disk: any Disk) -> Timestamp? {
        do throws(DiskError) {
            let content = try disk.open(name, .read).readUp(
                to: timeBytes + Checksum.fileBytes, at: 0)
            guard Checksum.sealedBytes(of: content) == timeBytes else { return nil }
            return Timestamp(
                microseconds: LittleEndian.load(Int64.self, from: content.span, at: 0))
        } catch {
            return nil
        }
    }

    static func store(_ time: Timestamp, on disk: any Disk) throws(DiskError) {
        var content = [UInt8](repeating: 0, count: timeBytes)
        var span = content.mutableSpan
        LittleEndian.store(time.microseconds, in: &span, at: 0)
        Checksum.seal(&content)
        let temporary = try disk.writeTemporary(content, for: name)
        try disk.rename(temporary, to: name)
        try disk.synchronizeNames()
    }
}
