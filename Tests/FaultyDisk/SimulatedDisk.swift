import Glibc
package import SegmentLog
package import Synchronization

/// An in-memory disk with faults, partial writes and power loss.
package final class SimulatedDisk: Disk {
    package struct Fault: Sendable {
        package enum Kind: Sendable, CaseIterable {
            case inputOutput, full, short
        }

        package var kind: Kind
        /// Index of the modifying call, from 0.
        package var call: Int
        package var isForEver = false

        package init(kind: Kind, call: Int, isForEver: Bool = false) {
            self.kind = kind
            self.call = call
            self.isForEver = isForEver
        }

        package var number: Int32 { kind == .full ? ENOSPC : EIO }
    }

    package enum Change: Sendable {
        case write(position: Int, bytes: [UInt8])
        case resize(Int)

        package func apply(to bytes: inout [UInt8]) {
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

    package struct Inode: Sendable {
        package var current: [UInt8] = []
        package var synced: [UInt8] = []
        package var unsynced: [Change] = []
    }

    package struct State: Sendable {
        package var inodes: [Int: Inode] = [:]
        package var names: [String: Int] = [:]
        package var syncedNames: [String: Int] = [:]
        /// Each state of the directory since its last sync.
        package var unsyncedNames: [[String: Int]] = []
        package var nextInode = 0
        package var calls = 0
        /// Bytes written by all calls, including partly failed ones.
        package var bytesWritten = 0
        package var fault: Fault?
        package var isLocked = false
        /// Syncs on a descriptor that had failed before; must stay 0.
        package var syncsAfterFailure = 0
        package var syncs = 0
        package var failedSyncs = 0
        /// Probability, in percent, that a modifying call fails without a planned fault.
        package var faultPercent = 0
        package var dice = SplitMix(state: 0)
        /// The read that fails, counted down; `nil`: none.
        package var readsUntilFault: Int?
        /// Bytes that cannot be read, by file.
        package var unreadable: [String: Range<Int>] = [:]
        /// Files whose removal fails.
        package var unremovable: Set<String> = []
        /// Files that cannot be written.
        package var unwritable: Set<String> = []
        /// Whether the disk is full: no file grows, and none is created.
        package var isFull = false
        /// Whether the file system is mounted read-only: no file is created, changed or removed.
        package var isReadOnly = false
        /// Runs inside the next sync, as another thread does.
        package var duringSync: (@Sendable () -> Void)?
        /// Runs during the next write.
        package var duringWrite: (@Sendable () -> Void)?

        package init() {}
    }

    package let state: Mutex<State>

    package init(_ state: State = State()) {
        self.state = Mutex(state)
    }

    package var calls: Int { state.withLock { $0.calls } }

    package func list() throws(DiskError) -> [String] { state.withLock { Array($0.names.keys) } }

    package func open(_ name: String, _ access: DiskAccess) throws(DiskError) -> any DiskFile {
        if access == .create { try count(.open, name) }
        return try locked { state throws(DiskError) in
            guard access == .read || !state.isReadOnly else {
                throw Self.error(.open, name, EROFS)
            }
            if access == .write, state.unwritable.contains(name) {
                throw Self.error(.open, name, EIO)
            }
            if access == .create {
                guard !state.isFull else { throw Self.error(.open, name, ENOSPC) }
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

    package func rename(_ name: String, to target: String) throws(DiskError) {
        try count(.rename, name)
        try locked { state throws(DiskError) in
            guard let inode = state.names[name] else { throw Self.error(.rename, name, ENOENT) }
            state.rename {
                $0[name] = nil
                $0[target] = inode
            }
        }
    }

    package func remove(_ name: String) throws(DiskError) {
        try count(.remove, name)
        try locked { state throws(DiskError) in
            guard !state.unremovable.contains(name) else { throw Self.error(.remove, name, EIO) }
            guard state.names[name] != nil else { throw Self.error(.remove, name, ENOENT) }
            state.rename { $0[name] = nil }
        }
    }

    package func synchronizeNames() throws(DiskError) {
        try count(.synchronizeNames, "")
        state.withLock {
            $0.syncedNames = $0.names
            $0.unsyncedNames = []
        }
    }

    package func lock(_ name: String) throws(DiskError) -> any DiskFile {
        try locked { state throws(DiskError) in
            guard !state.isLocked else { throw Self.error(.lock, name, EWOULDBLOCK) }
            state.isLocked = true
        }
        return SimulatedLock(disk: self)
    }

    /// The disk after a power loss: synced bytes, and any part of the others, torn anywhere.
    package func crashed(_ random: inout SplitMix) -> SimulatedDisk {
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

    /// The disk after a power loss that kept only synced bytes.
    package func withoutUnsynced() -> SimulatedDisk {
        state.withLock { state in
            var after = State()
            after.nextInode = state.nextInode
            after.names = state.syncedNames
            after.syncedNames = state.syncedNames
            for (number, inode) in state.inodes {
                after.inodes[number] = Inode(current: inode.synced, synced: inode.synced)
            }
            return SimulatedDisk(after)
        }
    }

    /// The disk after `kill -9`, which keeps everything written.
    package func killed() -> SimulatedDisk {
        state.withLock { state in
            var after = state
            after.isLocked = false
            after.fault = nil
            after.faultPercent = 0
            after.readsUntilFault = nil
            after.unreadable = [:]
            after.unremovable = []
            after.unwritable = []
            after.isFull = false
            after.isReadOnly = false
            after.duringSync = nil
            after.duringWrite = nil
            return SimulatedDisk(after)
        }
    }

    /// A disk for each segment alone, including segments whose removal a power loss may undo.
    package func segmentsAlone() -> [SimulatedDisk] {
        state.withLock { state in
            let names = state.unsyncedNames.reduce(
                state.syncedNames.merging(state.names) { _, now in now }
            ) { $0.merging($1) { now, _ in now } }
            return names.filter { $0.key.hasSuffix(".segment") }.map { name, inode in
                var alone = State()
                alone.names = [name: inode]
                alone.inodes[inode] = state.inodes[inode]
                return SimulatedDisk(alone)
            }
        }
    }

    package func content(of name: String) -> [UInt8] {
        state.withLock { state in state.names[name].flatMap { state.inodes[$0]?.current } ?? [] }
    }

    package func replace(_ name: String, with bytes: [UInt8]) {
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

    package func fail(_ fault: Fault?) { state.withLock { $0.fault = fault } }

    /// Counts a modifying call and throws if it is to fail.
    func count(_ call: DiskError.Call, _ name: String) throws(DiskError) {
        // Nothing needs a sync, so it succeeds.
        guard call == .synchronizeNames || !state.withLock({ $0.isReadOnly }) else {
            throw Self.error(call, name, EROFS)
        }
        if let fault = met(), fault.kind != .short {
            throw Self.error(call, name, fault.number)
        }
    }

    func met() -> Fault? {
        state.withLock { state in
            defer { state.calls += 1 }
            if state.faultPercent > 0, state.dice.happens(percent: state.faultPercent) {
                let kind = Fault.Kind.allCases[state.dice.below(Fault.Kind.allCases.count)]
                return Fault(kind: kind, call: state.calls)
            }
            guard let fault = state.fault else { return nil }
            let isMet = fault.isForEver ? state.calls >= fault.call : state.calls == fault.call
            return isMet ? fault : nil
        }
    }

    func isReadToFail() -> Bool {
        state.withLock { state in
            guard let reads = state.readsUntilFault else { return false }
            state.readsUntilFault = reads > 0 ? reads - 1 : nil
            return reads == 0
        }
    }

    /// Flips one bit of a file permanently.
    package func flipBit(_ random: inout SplitMix) {
        state.withLock { state in
            let names = state.names.keys.filter { $0.hasSuffix(".segment") || $0 == "catalog" }
                .sorted()
            guard let name = names.randomElement(using: &random), let number = state.names[name],
                var inode = state.inodes.removeValue(forKey: number)
            else { return }
            if !inode.current.isEmpty {
                inode.current[random.below(inode.current.count)] ^= 1 << UInt8(random.below(8))
                inode.synced = inode.current
            }
            state.inodes[number] = inode
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
    /// Keeps an arbitrary prefix or suffix of a write, or all of it; a resize cannot be torn.
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
