import Bytes
import Glibc
public import SegmentLog
import Synchronization

/// The leader's log folder: each change goes to the disk, then to the ``Replicator``.
///
/// A sync returns when the disk and the stream's servers have all changes before it. So whatever
/// waits for a sync, an ack for example, waits for the cluster, and the log need not know of it.
public final class ReplicatedDisk: Disk {
    private struct State {
        var places = FilePlaces()
        var pins: CopyPins?
        /// Whether a segment was replaced or removed.
        var hasErased = false
        /// Whether the disk has refused a change or a sync: what it holds after a power loss may not be
        /// what the others have.
        var hasFailed = false

        mutating func note(_ error: DiskError) {
            // A name that is not there, or is, is an answer.
            if error.number != ENOENT, error.number != EEXIST { hasFailed = true }
        }
    }

    private let disk: any Disk
    private let replicator: Replicator
    /// Held from a change of the folder until the replicator has it: the order must be the same.
    private let state = Mutex(State())

    public init(_ disk: any Disk, _ replicator: Replicator) {
        self.disk = disk
        self.replicator = replicator
    }

    public func list() throws(DiskError) -> [String] {
        try disk.list().filter { !$0.hasPrefix(ClusterFiles.pinnedPrefix) }
    }

    public func open(_ name: String, _ access: DiskAccess) throws(DiskError) -> any DiskFile {
        guard access != .read, !ClusterFiles.isOwn(name) else { return try disk.open(name, access) }
        return try noting { state throws(DiskError) in
            let file = try disk.open(name, access)
            if access == .create {
                // A file of this name that was removed behind the log's back is another one.
                state.places.remove(name)
                state.pins?.create(name)
                replicator.add([.created(name)])
            }
            let number = state.places.open(name)
            return ReplicatedFile(self, file, number)
        }
    }

    public func rename(_ name: String, to target: String) throws(DiskError) {
        try noting { state throws(DiskError) in
            if let pins = state.pins, pins.needs(target) { try keepCopy(of: target, in: &state) }
            try disk.rename(name, to: target)
            state.pins?.rename(name, to: target)
            state.places.rename(name, to: target)
            if Self.mayErase(target) { state.hasErased = true }
            if ClusterFiles.isOwn(name) {
                // The others have no such file: it is reserved space, all zeros.
                let bytes = try disk.open(target, .read).size()
                replicator.add([.created(target), .resized(target, bytes: bytes)])
            } else {
                replicator.add([.renamed(name, to: target)])
            }
        }
    }

    public func remove(_ name: String) throws(DiskError) {
        guard !ClusterFiles.isOwn(name) else { return try disk.remove(name) }
        try noting { state throws(DiskError) in
            if let kept = state.pins?.pin(name) {
                try disk.rename(name, to: kept)
            } else {
                try disk.remove(name)
            }
            state.places.remove(name)
            if Self.mayErase(name) { state.hasErased = true }
            replicator.add([.removed(name)])
        }
    }

    public func synchronizeNames() throws(DiskError) {
        do throws(DiskError) { try disk.synchronizeNames() } catch {
            state.withLock { $0.note(error) }
            throw error
        }
        try waitUntilKept(.synchronizeNames)
    }

    /// Whether the disk has refused nothing: it has what the stream has, once all is kept.
    public var isSound: Bool { state.withLock { !$0.hasFailed } }

    private func noting<Result: Sendable>(
        _ body: (inout State) throws(DiskError) -> sending Result
    ) throws(DiskError) -> Result {
        try state.withLock { state throws(DiskError) in
            do throws(DiskError) { return try body(&state) } catch {
                state.note(error)
                // Without room, what a copy keeps is the first to go.
                if error.number == ENOSPC, state.pins != nil { try? removePinned(&state) }
                throw error
            }
        }
    }

    public func lock(_ name: String) throws(DiskError) -> any DiskFile { try disk.lock(name) }

    /// - Returns: Whether a segment was replaced or removed since the last call: the stream may
    ///   still hold what was erased.
    func takeErasure() -> Bool {
        state.withLock { state in
            defer { state.hasErased = false }
            return state.hasErased
        }
    }

    /// Whether a file's end or replacement may be that of records: of a segment, or of the intent
    /// that is removed once records are overwritten.
    private static func mayErase(_ name: String) -> Bool {
        [SegmentFormat.fileSuffix, SegmentFormat.erasureSuffix]
            .contains { SegmentFormat.number(ofFile: name, suffix: $0) != nil }
    }

    // MARK: Copies

    /// Begins a copy: the files of now stay readable, under their names of now, until ``endCopy()``.
    ///
    /// - Parameter number: Number of the copy; the change ``FileChange/copyBegan(_:)`` has it.
    /// - Returns: Their names. The log waits meanwhile, so no file is opened.
    /// - Throws: ``DiskError``
    func beginCopy(_ number: UInt64) throws(DiskError) -> [String] {
        try state.withLock { state throws(DiskError) in
            try removePinned(&state)
            let names = try disk.list().filter { !ClusterFiles.isOwn($0) }.sorted()
            state.pins = CopyPins(number: number)
            replicator.add([.copyBegan(number)])
            return names
        }
    }

    /// Opens a file of a copy; `nil`: the copy has ended.
    func openPinned(_ name: String, _ number: UInt64) throws(DiskError) -> (any DiskFile)? {
        try state.withLock { state throws(DiskError) in
            guard let pins = state.pins, pins.number == number else { return nil }
            return try disk.open(pins.current(of: name), .read)
        }
    }

    /// Ends the copy, and removes what was kept for it, also by an earlier leader.
    public func endCopy() throws(DiskError) {
        try state.withLock { state throws(DiskError) in try removePinned(&state) }
    }

    private func removePinned(_ state: inout State) throws(DiskError) {
        state.pins = nil
        for name in try disk.list() where name.hasPrefix(ClusterFiles.pinnedPrefix) {
            try disk.remove(name)
        }
    }

    /// Keeps a copy of a file that is about to be replaced. The file itself stays until another has its
    /// name: a crash between must leave one of both.
    private func keepCopy(of name: String, in state: inout State) throws(DiskError) {
        guard let file = try disk.openIfThere(name, .read), let kept = state.pins?.pin(name) else {
            return
        }
        let copy = try disk.open(kept, .create)
        let end = try file.size()
        for place in stride(from: 0, to: end, by: FileChange.bytesMax) {
            let bytes = try file.readUp(to: FileChange.bytesMax, at: place)
            try copy.writeAll(bytes.span, at: place)
        }
    }

    // MARK: Files

    /// Changes a file; the change is told to the replicator under the file's name of now.
    fileprivate func change<Result: Sendable>(
        _ file: Int, _ body: ((FileChange.Named) -> Void) throws(DiskError) -> sending Result
    ) throws(DiskError) -> Result {
        try noting { state throws(DiskError) in
            let name = state.places.name(of: file)
            return try body { if let name { replicator.add($0.changes(of: name)) } }
        }
    }

    fileprivate func note(_ error: DiskError) { state.withLock { $0.note(error) } }

    fileprivate func close(_ file: Int) { state.withLock { $0.places.close(file) } }

    fileprivate func waitUntilKept(_ call: DiskError.Call) throws(DiskError) {
        guard replicator.waitUntilKept() else {
            throw DiskError(call: call, name: "", number: ECONNABORTED)
        }
    }
}

extension FileChange {
    /// A change whose file is not named yet.
    fileprivate enum Named {
        case wrote(Int, [UInt8])
        case resized(Int)

        func changes(of name: String) -> [FileChange] {
            switch self {
            case .resized(let bytes): return [.resized(name, bytes: bytes)]
            case .wrote(let position, let bytes):
                return FileChange.writes(bytes, to: name, at: position)
            }
        }
    }

    /// - Returns: Changes of at most ``bytesMax`` each.
    public static func writes(_ bytes: [UInt8], to name: String, at position: Int) -> [FileChange] {
        stride(from: 0, to: bytes.count, by: bytesMax).map { start in
            let part = bytes[start..<min(start + bytesMax, bytes.count)]
            return .wrote(name, position: position + start, Array(part))
        }
    }
}

private final class ReplicatedFile: DiskFile {
    private let disk: ReplicatedDisk
    private let file: any DiskFile
    private let number: Int

    init(_ disk: ReplicatedDisk, _ file: any DiskFile, _ number: Int) {
        self.disk = disk
        self.file = file
        self.number = number
    }

    deinit { disk.close(number) }

    func write(_ bytes: Span<UInt8>, at position: Int) throws(DiskError) -> Int {
        try disk.change(number) { tell throws(DiskError) in
            let written: Int
            do throws(DiskError) { written = try file.write(bytes, at: position) } catch {
                // A failed write may have changed a part: the others get what is there now.
                if let left = try? file.readUp(to: bytes.count, at: position) {
                    tell(.wrote(position, left))
                }
                throw error
            }
            tell(.wrote(position, Array(copying: bytes.extracting(first: written))))
            return written
        }
    }

    func truncate(to bytes: Int) throws(DiskError) {
        try resize { file throws(DiskError) in try file.truncate(to: bytes) }
    }

    func preallocate(_ bytes: Int) throws(DiskError) {
        try resize { file throws(DiskError) in try file.preallocate(bytes) }
    }

    private func resize(
        _ body: (any DiskFile) throws(DiskError) -> Void
    ) throws(DiskError) {
        try disk.change(number) { tell throws(DiskError) in
            // Also after a failure, which may have changed the size.
            defer { if let bytes = try? file.size() { tell(.resized(bytes)) } }
            try body(file)
        }
    }

    func synchronize() throws(DiskError) {
        do throws(DiskError) { try file.synchronize() } catch {
            disk.note(error)
            throw error
        }
        try disk.waitUntilKept(.synchronize)
    }

    func read(
        into bytes: inout [UInt8], from start: Int, at position: Int
    ) throws(DiskError) -> Int {
        try file.read(into: &bytes, from: start, at: position)
    }

    func size() throws(DiskError) -> Int { try file.size() }

    func expectScatteredReads() { file.expectScatteredReads() }
}
