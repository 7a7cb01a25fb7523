import Glibc
public import SegmentLog
import Synchronization

/// Answers the questions of nodes that stand by: gives them the leader's files, and notes how far
/// they are. Called on the stream's threads, one question at a time.
public final class LeaderService: Sendable {
    /// A copy that asks nothing for this long has ended, ms.
    static let copyMilliseconds = 30_000
    private static let registryCopy = ClusterFiles.pinnedPrefix + "registry"
    private static let filesAnswered = 4000
    private static let copyHasEnded = NodeAnswer.refused("that copy has ended")
    /// Other names of nodes than these are forgotten, oldest first.
    private static let nodesMax = 64

    /// A node that has reported, and when: monotonic ms.
    public struct Reported: Hashable, Sendable {
        public var report: NodeReport
        public var time: Int
    }

    private struct Copy {
        var node: String
        var number: UInt64
        var asked: Int
        /// Names of the files at the begin.
        var names: [String]
        /// The file that was asked for last.
        var open: (name: String, file: any DiskFile)?
    }

    private struct State {
        var copy: Copy?
        var copies: UInt64 = 0
        /// A sequence before the begin of the newest copy.
        var copyBegin: UInt64 = 0
    }

    private let replicator: Replicator
    private let disk: ReplicatedDisk
    private let folder: any Disk
    private let copyRegistry: @Sendable (_ name: String) -> Bool
    private let hash: @Sendable ([UInt8]) -> [UInt8]
    private let clock: @Sendable () -> Int
    private let state = Mutex(State())
    /// The nodes that have reported in this term, by name.
    private let reported = Mutex<[String: Reported]>([:])
    private let streamUpkeep: Mutex<StreamUpkeep>

    /// - Parameters:
    ///   - replicator: Of this term.
    ///   - disk: The log's folder.
    ///   - folder: The same folder, for what is not replicated.
    ///   - copyRegistry: Writes the registry, as it is at some time after the call began, into a
    ///     file of the log's folder; returns whether it could.
    ///   - hash: A cryptographic hash of 32 bytes.
    ///   - keptMilliseconds: How long the stream keeps messages, as long as a node leads.
    ///   - clock: Monotonic time, ms.
    public init(
        _ replicator: Replicator, disk: ReplicatedDisk, folder: any Disk,
        copyRegistry: @escaping @Sendable (_ name: String) -> Bool,
        hash: @escaping @Sendable ([UInt8]) -> [UInt8], keptMilliseconds: Int,
        clock: @escaping @Sendable () -> Int
    ) {
        streamUpkeep = Mutex(
            StreamUpkeep(
                term: replicator.term, keptMilliseconds: keptMilliseconds, at: clock()))
        self.replicator = replicator
        self.disk = disk
        self.folder = folder
        self.copyRegistry = copyRegistry
        self.hash = hash
        self.clock = clock
    }

    /// The nodes that have reported in this term, by name.
    public var nodes: [Reported] {
        reported.withLock { $0.values.sorted { $0.report.node < $1.report.node } }
    }

    /// Work that is due now and then, on a thread that may block.
    ///
    /// - Parameter stream: The stream, from which old and erased records are removed.
    public func upkeep(_ stream: any ClusterStream) {
        endStaleCopy()
        if disk.takeErasure() { noteErasure() }
        let (sequence, now, nodes) = (replicator.status.sequence, clock(), nodes)
        // While a question is answered, nothing is removed: the next upkeep comes soon.
        guard let needed = firstNeeded(nodes, now: now) else { return }
        let end = streamUpkeep.withLock { upkeep in
            upkeep.end(at: sequence, nodes, copyBegin: needed, now: now)
        }
        guard let end else { return }
        do throws(ClusterStreamError) { try stream.remove(below: end) } catch { return }
        streamUpkeep.withLock { $0.removed(below: end) }
    }

    /// Notes that something was erased, of which the stream may hold copies.
    public func noteErasure() {
        let (sequence, now) = (replicator.status.sequence, clock())
        streamUpkeep.withLock { $0.noteErasure(at: sequence, now: now) }
    }

    /// - Returns: A sequence before the messages that a copy needs, the maximum without a copy; `nil`: a
    ///   question is being answered.
    private func firstNeeded(_ nodes: [Reported], now: Int) -> UInt64? {
        state.withLockIfAvailable { state in
            let isRunning = state.copy != nil || StreamUpkeep.isCopying(nodes, now: now)
            return isRunning ? state.copyBegin : .max
        }
    }

    /// Ends a copy whose node has not asked for long: what it kept from removal goes.
    func endStaleCopy() {
        _ = state.withLockIfAvailable { state in
            guard let copy = state.copy, clock() - copy.asked > Self.copyMilliseconds else {
                return
            }
            state.copy = nil
            // What stays goes with the next copy, or at the next start.
            try? disk.endCopy()
        }
    }

    public func answer(_ question: [UInt8]) -> [UInt8] {
        do throws(ClusterError) {
            let (term, question) = try NodeQuestion.decode(question)
            guard term == replicator.term, replicator.ending == nil else {
                return NodeAnswer.refused("this node does not lead").encoded()
            }
            do throws(DiskError) { return try answer(question).encoded() } catch {
                throw .disk(error)
            }
        } catch {
            return NodeAnswer.refused("\(error)").encoded()
        }
    }

    private func answer(_ question: NodeQuestion) throws(DiskError) -> NodeAnswer {
        switch question {
        case .report(let report):
            note(report)
            return .done
        case .begin(let node):
            return try state.withLock { state throws(DiskError) in try begin(node, &state) }
        case .list(let copy, _), .hashes(let copy, _, _), .block(let copy, _, _),
            .changes(let copy), .kept(let copy, _), .end(let copy):
            return try state.withLock { state throws(DiskError) in
                guard state.copy?.number == copy else { return Self.copyHasEnded }
                state.copy?.asked = clock()
                return try answer(question, &state)
            }
        }
    }

    private func answer(
        _ question: NodeQuestion, _ state: inout State
    ) throws(DiskError) -> NodeAnswer {
        switch question {
        case .report, .begin: return .done
        case .list(_, let index):
            let names = state.copy?.names.dropFirst(index).prefix(Self.filesAnswered) ?? []
            var files: [NodeAnswer.ListedFile] = []
            for name in names {
                guard let file = try file(name, &state) else { return Self.copyHasEnded }
                files.append(NodeAnswer.ListedFile(name: name, bytes: try file.size()))
            }
            return .files(files)
        case .hashes(_, let name, let index):
            guard let file = try file(name, &state) else { return Self.copyHasEnded }
            return .bytes(try hashes(of: file, from: index))
        case .block(_, let name, let index):
            guard let file = try file(name, &state) else { return Self.copyHasEnded }
            return .bytes(try block(index, of: file))
        case .changes: return .number(replicator.added)
        case .kept(_, let changes):
            return replicator.kept >= changes ? .number(replicator.status.sequence) : .later
        case .end:
            state.copy = nil
            try disk.endCopy()
            return .done
        }
    }

    private func note(_ report: NodeReport) {
        let now = clock()
        reported.withLock { reported in
            reported[report.node] = Reported(report: report, time: now)
            guard reported.count > Self.nodesMax,
                let oldest = reported.values.min(by: { $0.time < $1.time })
            else { return }
            reported[oldest.report.node] = nil
        }
    }

    private func begin(_ node: String, _ state: inout State) throws(DiskError) -> NodeAnswer {
        if let copy = state.copy, copy.node != node,
            clock() - copy.asked <= Self.copyMilliseconds
        {
            return .refused("another node copies them")
        }
        state.copy = nil
        state.copies += 1
        // Before the change that marks the copy's begin.
        state.copyBegin = replicator.status.sequence
        // Two terms never use the same number.
        let number = replicator.term << 20 | state.copies
        do throws(DiskError) {
            let names = try disk.beginCopy(number)
            guard copyRegistry(Self.registryCopy) else {
                try disk.endCopy()
                return .refused("its registry cannot be read now")
            }
            state.copy = Copy(
                node: node, number: number, asked: clock(), names: names + [ClusterFiles.registry])
        } catch {
            // Else it would keep files for a copy that nobody makes.
            try? disk.endCopy()
            throw error
        }
        return .began(copy: number, sequence: state.copyBegin)
    }

    private func file(
        _ name: String, _ state: inout State
    ) throws(DiskError) -> (any DiskFile)? {
        guard let number = state.copy?.number else { return nil }
        if let open = state.copy?.open, open.name == name { return open.file }
        guard name == ClusterFiles.registry || ClusterFiles.isPlain(name) else {
            throw DiskError(call: .open, name: "", number: ENOENT)
        }
        let file =
            name == ClusterFiles.registry
            ? try folder.open(Self.registryCopy, .read) : try disk.openPinned(name, number)
        if let file { state.copy?.open = (name, file) }
        return file
    }

    private func hashes(of file: any DiskFile, from start: Int) throws(DiskError) -> [UInt8] {
        let count = NodeQuestion.blocks(ofBytes: try file.size())
        var hashes: [UInt8] = []
        for index in start..<max(start, min(count, start + NodeQuestion.blocksHashed)) {
            hashes += hash(try block(index, of: file))
        }
        return hashes
    }

    private func block(_ index: Int, of file: any DiskFile) throws(DiskError) -> [UInt8] {
        try file.readUp(to: NodeQuestion.blockBytes, at: index * NodeQuestion.blockBytes)
    }
}

extension NodeQuestion {
    static func blocks(ofBytes bytes: Int) -> Int { (bytes + blockBytes - 1) / blockBytes }
}
