import Dispatch
import SegmentLog
import Synchronization

/// A disk that counts reads of whole blocks and can block one of them until it is released.
struct GatedDisk: Disk {
    /// Bytes of a whole block; the headers and small indices of each reading are shorter.
    fileprivate static let blockBytes = 64 << 10

    /// Controls the reads of a ``GatedDisk``; callable from any thread.
    final class Gate: Sendable {
        private struct State {
            var reads = 0
            var heldRead: Int?
            var isHolding = false
        }

        private let state = Mutex(State())
        private let opened = DispatchSemaphore(value: 0)

        /// Number of block reads since the last ``begin(holding:)``.
        var reads: Int { state.withLock { $0.reads } }

        /// Whether a read is blocked now.
        var isHolding: Bool { state.withLock { $0.isHolding } }

        /// Resets the count to 0.
        ///
        /// - Parameter read: Number, from 1, of the read that blocks until ``open()``; `nil`: none.
        func begin(holding read: Int?) {
            state.withLock { $0 = State(heldRead: read) }
        }

        func open() {
            let isHolding = state.withLock { state in
                defer { state.isHolding = false }
                state.heldRead = nil
                return state.isHolding
            }
            if isHolding { opened.signal() }
        }

        fileprivate func pass() {
            let mustWait = state.withLock { state in
                state.reads += 1
                state.isHolding = state.isHolding || state.reads == state.heldRead
                return state.reads == state.heldRead
            }
            if mustWait { opened.wait() }
        }
    }

    let base: any Disk
    let gate: Gate

    func list() throws(DiskError) -> [String] { try base.list() }

    func open(_ name: String, _ access: DiskAccess) throws(DiskError) -> any DiskFile {
        let file = try base.open(name, access)
        // The log's own threads open theirs to write.
        return access == .read ? GatedFile(base: file, gate: gate) : file
    }

    func rename(_ name: String, to target: String) throws(DiskError) {
        try base.rename(name, to: target)
    }

    func remove(_ name: String) throws(DiskError) { try base.remove(name) }

    func synchronizeNames() throws(DiskError) { try base.synchronizeNames() }

    func lock(_ name: String) throws(DiskError) -> any DiskFile { try base.lock(name) }
}

private final class GatedFile: DiskFile {
    private let base: any DiskFile
    private let gate: GatedDisk.Gate

    init(base: any DiskFile, gate: GatedDisk.Gate) {
        self.base = base
        self.gate = gate
    }

    func read(
        into bytes: inout [UInt8], from start: Int, at position: Int
    ) throws(DiskError) -> Int {
        if bytes.count - start >= GatedDisk.blockBytes { gate.pass() }
        return try base.read(into: &bytes, from: start, at: position)
    }

    func write(_ bytes: Span<UInt8>, at position: Int) throws(DiskError) -> Int {
        try base.write(bytes, at: position)
    }

    func synchronize() throws(DiskError) { try base.synchronize() }

    func truncate(to bytes: Int) throws(DiskError) { try base.truncate(to: bytes) }

    func preallocate(_ bytes: Int) throws(DiskError) { try base.preallocate(bytes) }

    func size() throws(DiskError) -> Int { try base.size() }
}
