import Bytes
import Glibc
import SegmentLog
import Synchronization

final class SimulatedFile: DiskFile {
    private let disk: SimulatedDisk
    private let inode: Int
    private let name: String
    private let hasFailed = Atomic(false)

    init(disk: SimulatedDisk, inode: Int, name: String) {
        self.disk = disk
        self.inode = inode
        self.name = name
    }

    func write(_ bytes: Span<UInt8>, at position: Int) throws(DiskError) -> Int {
        let hook = disk.state.withLock { state in
            defer { state.duringWrite = nil }
            return state.duringWrite
        }
        hook?()
        var taken = bytes.count
        let isGrowing = disk.state.withLock { state in
            state.isFull && position + bytes.count > state.inodes[inode]?.current.count ?? 0
        }
        guard !isGrowing else { throw SimulatedDisk.error(.write, name, ENOSPC) }
        guard !disk.state.withLock({ $0.isReadOnly }) else {
            throw SimulatedDisk.error(.write, name, EROFS)
        }
        if let fault = disk.met() {
            guard fault.kind == .short else {
                hasFailed.store(true, ordering: .relaxed)
                // After a failed write, the content of the file is uncertain.
                let half = bytes.extracting(first: bytes.count / 2)
                change(.write(position: position, bytes: Array(copying: half)))
                throw SimulatedDisk.error(.write, name, fault.number)
            }
            taken = (bytes.count + 1) / 2
        }
        change(.write(position: position, bytes: Array(copying: bytes.extracting(first: taken))))
        return taken
    }

    func read(
        into bytes: inout [UInt8], from start: Int, at position: Int
    ) throws(DiskError) -> Int {
        if disk.isReadToFail() { throw SimulatedDisk.error(.read, name, EIO) }
        let wanted = position..<(position + bytes.count - start)
        // Copied under the lock: ThreadSanitizer does not see an array's reference counting.
        let part = disk.state.withLock { state -> [UInt8]? in
            if let unreadable = state.unreadable[name], unreadable.overlaps(wanted) { return nil }
            let end = min(wanted.upperBound, state.inodes[inode]?.current.count ?? 0)
            guard position < end else { return [] }
            return state.inodes[inode].map { Array($0.current[position..<end]) }
        }
        guard let part else { throw SimulatedDisk.error(.read, name, EIO) }
        bytes.replaceSubrange(start..<(start + part.count), with: part)
        return part.count
    }

    func synchronize() throws(DiskError) {
        let isRepeated = hasFailed.load(ordering: .relaxed)
        let fault = disk.met()
        disk.state.withLock { state in
            state.syncs += 1
            if isRepeated { state.syncsAfterFailure += 1 }
        }
        if let fault, fault.kind != .short {
            hasFailed.store(true, ordering: .relaxed)
            disk.state.withLock { state in
                state.failedSyncs += 1
                // The kernel marks the pages clean, so a second sync would succeed.
                state.inodes[inode]?.unsynced = []
                if let synced = state.inodes[inode]?.synced {
                    state.inodes[inode]?.current = synced
                }
            }
            throw SimulatedDisk.error(.synchronize, name, fault.number)
        }
        let begun = disk.state.withLock { state in
            let hook = state.duringSync
            state.duringSync = nil
            return (hook, state.inodes[inode]?.current, state.inodes[inode]?.unsynced.count)
        }
        begun.0?()
        // The sync does not cover writes made while it ran.
        disk.state.withLock { state in
            guard var content = state.inodes.removeValue(forKey: inode), let covered = begun.1
            else { return }
            content.synced = covered
            content.unsynced.removeFirst(begun.2 ?? 0)
            state.inodes[inode] = content
        }
    }

    func truncate(to bytes: Int) throws(DiskError) {
        try disk.count(.truncate, name)
        change(.resize(bytes))
    }

    func preallocate(_ bytes: Int) throws(DiskError) {
        try disk.count(.preallocate, name)
        change(.resize(bytes))
    }

    func size() throws(DiskError) -> Int {
        disk.state.withLock { $0.inodes[inode]?.current.count ?? 0 }
    }

    private func change(_ change: SimulatedDisk.Change) {
        disk.state.withLock { state in
            if case .write(_, let bytes) = change { state.bytesWritten += bytes.count }
            guard var content = state.inodes.removeValue(forKey: inode) else { return }
            change.apply(to: &content.current)
            content.unsynced.append(change)
            state.inodes[inode] = content
        }
    }
}

/// The folder's lock, released with the last reference as at the end of a process.
final class SimulatedLock: DiskFile {
    private let disk: SimulatedDisk

    init(disk: SimulatedDisk) { self.disk = disk }

    deinit { disk.state.withLock { $0.isLocked = false } }

    func write(_ bytes: Span<UInt8>, at position: Int) throws(DiskError) -> Int { 0 }
    func read(
        into bytes: inout [UInt8], from start: Int, at position: Int
    ) throws(DiskError) -> Int { 0 }
    func synchronize() throws(DiskError) {}
    func truncate(to bytes: Int) throws(DiskError) {}
    func preallocate(_ bytes: Int) throws(DiskError) {}
    func size() throws(DiskError) -> Int { 0 }
}
