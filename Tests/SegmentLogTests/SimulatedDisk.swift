import Glibc
import SegmentLog
import Synchronization

/// A disk in memory that fails, takes half, and forgets what was not synced.
final class SimulatedDisk: Disk {
    struct Fault: Sendable {
        enum Kind: Sendable, CaseIterable {
            case inputOutput, full, short
        }

        var kind: Kind
        /// Of calls that change something, from 0.
        var call: Int
        var isForEver = false

        var number: Int32 { kind == .full ? ENOSPC : EIO }
    }

    enum Change: Sendable {
        case write(position: Int, bytes: [UInt8])
        case resize(Int)

        func apply(to bytes: inout [UInt8]) {
            switch self {
            case .write(let position, let written):
                let end = position + written.count
                if bytes.count < end {
                    bytes.append(contentsOf: repeatElement(0, count: end - bytes.count))
                }
                bytes.replaceSubrange(position..<end, with: written)
            case .resize(let size):
                if size < bytes.count { bytes.removeLast(bytes.count - size) }
                bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
            }
        }
    }

    struct Inode: Sendable {
        var current: [UInt8] = []
        var synced: [UInt8] = []
        var unsynced: [Change] = []
    }

    struct State: Sendable {
        var inodes: [Int: Inode] = [:]
        var names: [String: Int] = [:]
        var syncedNames: [String: Int] = [:]
        /// Each state of the names since they were synced.
        var unsyncedNames: [[String: Int]] = []
        var nextInode = 0
        var calls = 0
        var fault: Fault?
        var isLocked = false
        /// Syncs on a descriptor that had failed before: never allowed.
        var syncsAfterFailure = 0
        var syncs = 0
        var failedSyncs = 0
    }

    let state: Mutex<State>

    init(_ state: State = State()) {
        self.state = Mutex(state)
    }

    var calls: Int { state.withLock { $0.calls } }

    func list() throws(DiskError) -> [String] { state.withLock { Array($0.names.keys) } }

    func open(_ name: String, _ access: DiskAccess) throws(DiskError) -> any DiskFile {
        if access == .create { try count(.open, name) }
        return try locked { state throws(DiskError) in
            if access == .create {
                guard state.names[name] == nil else { throw Self.error(.open, name, EEXIST) }
                state.nextInode += 1
                state.inodes[state.nextInode] = Inode()
                let created = state.nextInode
                state.rename { $0[name] = created }
            }
            guard let inode = state.names[name] else { throw Self.error(.open, name, ENOENT) }
            return SimulatedFile(disk: self, inode: inode, name: name)
        }
    }

    func rename(_ name: String, to target: String) throws(DiskError) {
        try count(.rename, name)
        try locked { state throws(DiskError) in
            guard let inode = state.names[name] else { throw Self.error(.rename, name, ENOENT) }
            state.rename {
                $0[name] = nil
                $0[target] = inode
            }
        }
    }

    func remove(_ name: String) throws(DiskError) {
        try count(.remove, name)
        try locked { state throws(DiskError) in
            guard state.names[name] != nil else { throw Self.error(.remove, name, ENOENT) }
            state.rename { $0[name] = nil }
        }
    }

    func synchronizeNames() throws(DiskError) {
        try count(.synchronizeNames, "")
        state.withLock {
            $0.syncedNames = $0.names
            $0.unsyncedNames = []
        }
    }

    func lock(_ name: String) throws(DiskError) -> any DiskFile {
        try locked { state throws(DiskError) in
            guard !state.isLocked else { throw Self.error(.lock, name, EWOULDBLOCK) }
            state.isLocked = true
        }
        return SimulatedLock(disk: self)
    }

    /// What a machine finds that lost power now: synced bytes, and of the others any part, torn
    /// anywhere.
    func crashed(_ random: inout SplitMix) -> SimulatedDisk {
        state.withLock { state in
            var after = State()
            after.nextInode = state.nextInode
            let choices = [state.syncedNames] + state.unsyncedNames
            after.names = choices.randomElement(using: &random) ?? state.syncedNames
            after.syncedNames = after.names
            for (_, inode) in after.names.sorted(by: { $0.key < $1.key }) {
                guard var content = state.inodes[inode] else { continue }
                for change in content.unsynced.shuffled(using: &random)
                where Bool.random(using: &random) {
                    change.torn(&random).apply(to: &content.synced)
                }
                after.inodes[inode] = Inode(current: content.synced, synced: content.synced)
            }
            return SimulatedDisk(after)
        }
    }

    /// As after `kill -9`: the kernel goes on.
    func killed() -> SimulatedDisk {
        state.withLock { state in
            var after = state
            after.isLocked = false
            after.fault = nil
            return SimulatedDisk(after)
        }
    }

    func content(of name: String) -> [UInt8] {
        state.withLock { state in state.names[name].flatMap { state.inodes[$0]?.current } ?? [] }
    }

    func replace(_ name: String, with bytes: [UInt8]) {
        state.withLock { state in
            if state.names[name] == nil {
                state.nextInode += 1
                let created = state.nextInode
                state.rename { $0[name] = created }
                state.syncedNames = state.names
            }
            guard let inode = state.names[name] else { return }
            state.inodes[inode] = Inode(current: bytes, synced: bytes)
        }
    }

    func fail(_ fault: Fault?) { state.withLock { $0.fault = fault } }

    /// Counts a call that changes something; whether it is to fail.
    func count(_ call: DiskError.Call, _ name: String) throws(DiskError) {
        if let fault = met(), fault.kind != .short {
            throw Self.error(call, name, fault.number)
        }
    }

    func met() -> Fault? {
        state.withLock { state in
            defer { state.calls += 1 }
            guard let fault = state.fault else { return nil }
            let isMet = fault.isForEver ? state.calls >= fault.call : state.calls == fault.call
            return isMet ? fault : nil
        }
    }

    func locked<Result: Sendable>(
        _ body: (inout State) throws(DiskError) -> sending Result
    ) throws(DiskError) -> Result {
        try state.withLock { state throws(DiskError) in try body(&state) }
    }

    static func error(_ call: DiskError.Call, _ name: String, _ number: Int32) -> DiskError {
        DiskError(call: call, name: name, number: number)
    }
}

extension SimulatedDisk.State {
    mutating func rename(_ change: (inout [String: Int]) -> Void) {
        change(&names)
        unsyncedNames.append(names)
    }
}

extension SimulatedDisk.Change {
    /// Some stretch of it in whole sectors; nothing of a resize can be torn.
    fileprivate func torn(_ random: inout SplitMix) -> Self {
        guard case .write(let position, let bytes) = self, random.next() % 2 == 0 else {
            return self
        }
        let kept = Int(random.next() % UInt64(bytes.count + 1))
        return random.next() % 2 == 0
            ? .write(position: position, bytes: Array(bytes.prefix(kept)))
            : .write(
                position: position + bytes.count - kept, bytes: Array(bytes.suffix(kept)))
    }
}

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
        var taken = bytes.count
        if let fault = disk.met() {
            guard fault.kind == .short else {
                hasFailed.store(true, ordering: .relaxed)
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
        let content = disk.state.withLock { $0.inodes[inode]?.current ?? [] }
        let count = max(0, min(bytes.count - start, content.count - position))
        guard count > 0 else { return 0 }
        bytes.replaceSubrange(
            start..<(start + count), with: content[position..<(position + count)])
        return count
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
                // The kernel forgets that the pages were dirty: a second sync would succeed.
                state.inodes[inode]?.unsynced = []
                if let synced = state.inodes[inode]?.synced {
                    state.inodes[inode]?.current = synced
                }
            }
            throw SimulatedDisk.error(.synchronize, name, fault.number)
        }
        disk.state.withLock { state in
            guard var content = state.inodes[inode] else { return }
            content.synced = content.current
            content.unsynced = []
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
            guard var content = state.inodes.removeValue(forKey: inode) else { return }
            change.apply(to: &content.current)
            content.unsynced.append(change)
            state.inodes[inode] = content
        }
    }
}

/// The folder's lock: gone with the last reference, as that of a process.
private final class SimulatedLock: DiskFile {
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
