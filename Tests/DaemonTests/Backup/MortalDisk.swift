import Glibc
import SegmentLog
import Synchronization

/// A disk of a process that is killed: after a number of modifying calls, further ones have no
/// effect.
struct MortalDisk: Disk {
    final class Life: Sendable {
        private let calls: Mutex<Int>

        init(calls: Int) { self.calls = Mutex(calls) }

        func spend() throws(DiskError) {
            let isAlive = calls.withLock { calls in
                calls -= 1
                return calls >= 0
            }
            guard isAlive else { throw DiskError(call: .write, name: "killed", number: EIO) }
        }
    }

    let base: any Disk
    let life: Life

    init(_ base: any Disk, life: Life) {
        self.base = base
        self.life = life
    }

    init(_ base: any Disk, calls: Int) { self.init(base, life: Life(calls: calls)) }

    func list() throws(DiskError) -> [String] { try base.list() }

    func open(_ name: String, _ access: DiskAccess) throws(DiskError) -> any DiskFile {
        if access != .read { try life.spend() }
        return MortalFile(base: try base.open(name, access), life: life)
    }

    func rename(_ name: String, to target: String) throws(DiskError) {
        try life.spend()
        try base.rename(name, to: target)
    }

    func remove(_ name: String) throws(DiskError) {
        try life.spend()
        try base.remove(name)
    }

    func synchronizeNames() throws(DiskError) {
        try life.spend()
        try base.synchronizeNames()
    }

    func lock(_ name: String) throws(DiskError) -> any DiskFile {
        try life.spend()
        return try base.lock(name)
    }
}

private final class MortalFile: DiskFile {
    private let base: any DiskFile
    private let life: MortalDisk.Life

    init(base: any DiskFile, life: MortalDisk.Life) {
        self.base = base
        self.life = life
    }

    /// Writes only half of the bytes if this is the last call.
    func write(_ bytes: Span<UInt8>, at position: Int) throws(DiskError) -> Int {
        do throws(DiskError) { try life.spend() } catch {
            _ = try base.write(bytes.extracting(first: bytes.count / 2), at: position)
            throw error
        }
        return try base.write(bytes, at: position)
    }

    func read(
        into bytes: inout [UInt8], from start: Int, at position: Int
    ) throws(DiskError) -> Int { try base.read(into: &bytes, from: start, at: position) }

    func synchronize() throws(DiskError) {
        try life.spend()
        try base.synchronize()
    }

    func truncate(to bytes: Int) throws(DiskError) {
        try life.spend()
        try base.truncate(to: bytes)
    }

    func preallocate(_ bytes: Int) throws(DiskError) {
        try life.spend()
        try base.preallocate(bytes)
    }

    func size() throws(DiskError) -> Int { try base.size() }
}
