import Glibc
public import SensorModel
import Synchronization

extension SegmentLog {
    /// Locks the folder, recovers its segments, and starts a new one. If the disk refuses it, the
    /// log is in the failed state: it serves reads and tries again.
    ///
    /// No thread runs until ``start()``. Without it ``syncAppended()`` does the threads' work in place,
    /// which simulations use.
    ///
    /// - Parameters:
    ///   - disk: The folder `log/`.
    ///   - configuration: Limits and durability.
    ///   - now: Arrival clock.
    ///   - observer: Callbacks for durability and failures.
    /// - Returns: A log that takes appends; its state tells whether they reach the disk.
    /// - Throws: ``SegmentLogError``
    public static func open(
        disk: any Disk, configuration: LogConfiguration, now: Timestamp,
        observer: LogObserver = LogObserver()
    ) throws(SegmentLogError) -> SegmentLog {
        configuration.checkRelations()
        let folderLock = try lock(disk)
        let recovery = try Recovery.run(on: disk, at: now, configuration)
        guard recovery.nextOffset <= SegmentFormat.numberMax - SegmentFormat.offsetsLeftMin else {
            throw .offsetsUsedUp(next: RecordOffset(rawValue: recovery.nextOffset))
        }
        let last = recovery.entries.last
        let epoch = recovery.entries.last { $0.header != nil }?.header?.epoch
        let header = SegmentHeader(
            epoch: epoch ?? configuration.newEpoch, number: recovery.lastNumber + 1,
            previous: last?.number ?? 0, firstOffset: recovery.nextOffset,
            arrivalBase: now.microseconds, generation: 0)
        var file: (any DiskFile)?
        var state = LogState.writing
        do throws(DiskError) {
            file = try create(header, on: disk)
            // The next repair removes files that stay; with a restore's mark, starts skip offsets.
            for name in recovery.unneeded { tryToRemove(name, on: disk) }
            if !recovery.unneeded.isEmpty { try? disk.synchronizeNames() }
        } catch {
            tryToRemove(header.fileName, on: disk)
            state = .failed(error)
        }
        let log = SegmentLog(
            disk: disk, observer: observer,
            core: LogCore(
                configuration: configuration, entries: recovery.entries, header: header,
                file: file, state: state),
            recovery: recovery, folderLock: folderLock)
        log.abandoned.withLock {
            $0 = Set(recovery.empty.compactMap { SegmentFormat.number(ofFile: $0) })
            if file == nil { $0.insert(header.number) }
        }
        log.firstMarks.withLock { $0 = recovery.firstMarks }
        log.overdue.withLock { overdue in
            for number in recovery.overdue {
                overdue[number] = OverdueSegment(number: number, on: disk)
            }
        }
        if file == nil {
            log.tellState()
        } else {
            log.setReserveAside()
        }
        return log
    }

    /// Tells the next start on a folder that its segments come from a backup. Its records then get
    /// offsets that the lost log did not reach, so that no cursor of a viewer names another record.
    ///
    /// - Throws: ``DiskError``
    public static func markRestored(_ disk: any Disk) throws(DiskError) {
        try disk.open(SegmentFormat.restoredName, .create).synchronize()
    }

    /// Creates a segment's file, which survives a power loss before the first record goes into it.
    static func create(
        _ header: SegmentHeader, on disk: any Disk
    ) throws(DiskError) -> any DiskFile {
        let file = try disk.open(header.fileName, .create)
        try file.writeAll(header.bothCopies.span, at: 0)
        try file.synchronize()
        try disk.synchronizeNames()
        return file
    }

    /// Reserves space for a full disk. The log also works without it, so a failure is ignored.
    func setReserveAside() {
        let bytes = configuration.reserveBytes
        guard bytes > 0 else { return }
        do throws(DiskError) {
            guard try !disk.list().contains(SegmentFormat.reserveName) else { return }
            let file = try disk.open(SegmentFormat.reserveName, .create)
            do throws(DiskError) {
                try file.preallocate(bytes)
            } catch {
                try disk.remove(SegmentFormat.reserveName)
            }
        } catch {
            return
        }
    }

    private static func lock(_ disk: any Disk) throws(SegmentLogError) -> any DiskFile {
        do throws(DiskError) {
            return try disk.lock(SegmentFormat.lockName)
        } catch {
            throw error.number == EWOULDBLOCK ? .inUse : .disk(error)
        }
    }

    /// Removes a file that is harmless and whose removal is tried again at the next start.
    static func tryToRemove(_ name: String, on disk: any Disk) {
        do throws(DiskError) { try disk.remove(name) } catch { return }
    }

    package static func removeIfThere(_ name: String, on disk: any Disk) throws(DiskError) {
        do throws(DiskError) {
            try disk.remove(name)
        } catch {
            guard error.number == ENOENT else { throw error }
        }
    }
}

extension LogConfiguration {
    /// Traps if two settings contradict each other.
    func checkRelations() {
        // The index stores positions in 32 bits.
        precondition((4096...(1 << 31)).contains(segmentBytesMax), "segment bytes out of range")
        precondition(pendingBytesMax >= 4096 && reserveBytes >= 0)
        // Viewers may have seen everything that waits in memory when a crash occurs.
        precondition(
            UInt64(pendingBytesMax / SegmentFormat.recordHeaderBytes) < offsetJump
                && offsetJump >= Recovery.offsetJump)
        precondition(syncGapMicroseconds >= 0)
        if case .interval(let milliseconds) = durability { precondition(milliseconds > 0) }
    }
}
