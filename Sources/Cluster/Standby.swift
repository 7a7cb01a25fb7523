import SegmentLog

/// A node that stands by: keeps its files equal to the leader's, and leads when the leader is
/// silent.
///
/// One thread calls ``step()``; it blocks at most some seconds, longer only for a copy of files.
public final class Standby {
    /// What a step has done.
    public enum Step: Hashable, Sendable {
        case worked
        /// Nothing came, or the stream did not answer: ``trouble`` says so.
        case waited
        /// This node leads; the sequence of its claim. No step may follow.
        case claimed(term: UInt64)
    }

    /// What the node waits for.
    enum Mode: Hashable {
        case starting
        case following
        /// A copy is to be begun.
        case copying
        /// A copy has ended; whole when the sequence is applied.
        case completing(FileCopy.Result)
        /// The files may lead if nobody else does, and no message may be applied to them: since
        /// when the node waits, how long, and the term that must be the stream's last.
        case waiting(milliseconds: Int, lastTerm: UInt64)
    }

    /// Times, ms. Monotonic time is passed in.
    enum Times {
        /// Silence of a leader after which a follower takes over.
        static let silence = 1000
        /// The last leader comes back and finds nobody: a follower would have taken over by now.
        static let formerLeader = 3000
        /// A node without recordings gives one with recordings the first claim of a new stream.
        static let emptyNode = 3000
        /// Longest wait for a message.
        static let read = 250
        /// Pause before another attempt to copy.
        static let copy = 500
        /// Time between two saved positions, and between two reports.
        static let save = 1000
    }

    let node: String
    let stream: any ClusterStream
    let folders: NodeFolders
    let mustLead: Bool
    let clock: @Sendable () -> Int
    let draw: @Sendable () -> UInt64
    let hash: @Sendable ([UInt8]) -> [UInt8]
    let pause: @Sendable (_ milliseconds: Int) -> Void
    let mayGoOn: @Sendable () -> Bool

    var mode = Mode.starting
    var replica: Replica
    let positionFile: PositionFile
    /// The stream's identity.
    var identity: Int64 = 0
    /// Its last sequence when this node began.
    var lastAtBegin: UInt64 = 0
    /// The next message to read.
    var next: UInt64 = 1
    /// Changes that count only with those of a message that has not come.
    var held: [FileChange] = []
    /// Node and term of the newest message.
    public internal(set) var leader: (node: String, term: UInt64)?
    var hasResigned = false
    /// When the last message came, or the stream last failed to answer.
    var heard: Int
    var saved: Int
    var copied: Int
    /// The claim whose answer did not come.
    var claim: Claim?
    /// Why the last step could not work; `nil`: it could.
    public internal(set) var trouble: ClusterError?

    struct Claim {
        var bytes: [UInt8]
        var last: UInt64
        var name: String
    }

    /// - Parameters:
    ///   - node: This node's name.
    ///   - stream: The stream.
    ///   - folders: Files of this node.
    ///   - mustLead: Whether the node claims at once with the files that it has.
    ///   - clock: Monotonic time, ms.
    ///   - draw: Random numbers.
    ///   - hash: A cryptographic hash of 32 bytes.
    ///   - pause: Waits between two attempts within a step.
    ///   - mayGoOn: `false` ends a long copy early.
    public init(
        node: String, stream: any ClusterStream, folders: NodeFolders, mustLead: Bool = false,
        clock: @escaping @Sendable () -> Int, draw: @escaping @Sendable () -> UInt64,
        hash: @escaping @Sendable ([UInt8]) -> [UInt8],
        pause: @escaping @Sendable (_ milliseconds: Int) -> Void,
        mayGoOn: @escaping @Sendable () -> Bool = { true }
    ) {
        self.node = node
        self.stream = stream
        self.folders = folders
        self.mustLead = mustLead
        self.clock = clock
        self.draw = draw
        self.hash = hash
        self.pause = pause
        self.mayGoOn = mayGoOn
        positionFile = PositionFile(folders.state)
        replica = Replica(
            folders, positionFile, at: NodePosition(role: .copying, stream: 0, sequence: 0, term: 0)
        )
        heard = clock()
        saved = heard
        copied = heard - Times.copy
    }

    /// Time since the last message or the stream's last failure, ms.
    public var silentMilliseconds: Int { clock() - heard }

    public var report: NodeReport {
        NodeReport(
            node: node, phase: mode == .following ? .following : .copying,
            sequence: replica.position.sequence)
    }

    /// - Throws: ``ClusterError``: a person has to act, or the node's own disk fails; a new
    ///   `Standby` may try again.
    public func step() throws(ClusterError) -> Step {
        do throws(ClusterError) {
            let step = try attempt()
            trouble = nil
            return step
        } catch {
            trouble = error
            switch error {
            case .stream, .noCopy:
                // A stream that fails says nothing about the leader.
                heard = clock()
                return .waited
            case .notUnderstood where mode == .following || mode.isCompleting:
                try beginCopying()
                return .worked
            default: throw error
            }
        }
    }

    /// Tells the leader how far this node is. An answer that does not come is no trouble.
    public func reportToLeader() {
        guard let leader, leader.node != node else { return }
        let question = NodeQuestion.report(report).encoded(term: leader.term)
        _ = try? stream.ask(node: leader.node, question)
    }

    /// Ends, with the position on disk.
    public func stop() throws(ClusterError) {
        guard mode == .following else { return }
        do throws(DiskError) { try replica.save() } catch { throw .disk(error) }
    }

    private func attempt() throws(ClusterError) -> Step {
        if mode == .starting { try begin() }
        if let claim { return try repeatClaim(claim) }
        if mode == .copying { return try copyFiles() }
        let messages = try asClusterError { () throws(ClusterStreamError) in
            try stream.read(from: next, waitingMilliseconds: Times.read)
        }
        for message in messages {
            heard = clock()
            let entry = try StreamEntry(decoding: message.bytes)
            guard message.sequence == next else {
                // Messages are missing: they were removed before this node had read them.
                try beginCopying()
                return .worked
            }
            if let step = try take(entry, message.sequence) { return step }
        }
        try saveNowAndThen()
        return try claimIfSilent() ?? (messages.isEmpty ? .waited : .worked)
    }

    private func saveNowAndThen() throws(ClusterError) {
        guard mode == .following, !replica.isSaved, clock() - saved >= Times.save else { return }
        saved = clock()
        do throws(DiskError) { try replica.save() } catch { throw .disk(error) }
    }

    func asClusterError<Result>(
        _ body: () throws(ClusterStreamError) -> Result
    ) throws(ClusterError) -> Result {
        do throws(ClusterStreamError) { return try body() } catch { throw .stream(error) }
    }
}

extension Standby.Mode {
    var isCompleting: Bool { if case .completing = self { true } else { false } }
}
