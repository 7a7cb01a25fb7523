import Glibc
import SegmentLog

/// What a node does with the stream's messages.
extension Standby {
    /// - Returns: A step that ends the reading; `nil`: it goes on.
    func take(
        _ entry: StreamEntry, _ sequence: UInt64
    ) throws(ClusterError) -> Step? {
        let term = entry.content.isClaim ? sequence : entry.term
        // This node sends nothing while it stands by; what came before it began may be its own.
        if entry.node == node, sequence > lastAtBegin { throw .sameName(node) }
        next = sequence + 1
        leader = (entry.node, term)
        hasResigned = entry.content == .resigned
        switch mode {
        case .starting, .copying: return nil
        case .waiting(_, let lastTerm):
            guard term != lastTerm else { return nil }
            // Another node leads: what this node's files are is asked again.
            mode = .starting
            return .worked
        case .following, .completing: return try follow(entry, sequence)
        }
    }

    private func follow(
        _ entry: StreamEntry, _ sequence: UInt64
    ) throws(ClusterError) -> Step? {
        guard entry.content.isClaim || entry.term == historyTerm else {
            // The stream has lost messages that were applied here, and goes on without them.
            try beginCopying()
            return .worked
        }
        switch entry.content {
        case .claimed(let isToBeCompared):
            // What a leader could not end does not count.
            held = []
            if isToBeCompared || mode.isCompleting {
                try beginCopying()
                return .worked
            }
            replica.skip(to: sequence, term: sequence)
        case .changed(let changes, let isContinued):
            held += changes
            guard !isContinued else { return nil }
            let complete = held
            held = []
            try apply(complete, upTo: sequence)
        case .beat, .resigned:
            if held.isEmpty { try apply([], upTo: sequence) }
        }
        return nil
    }

    private func apply(
        _ changes: [FileChange], upTo sequence: UInt64
    ) throws(ClusterError) {
        do throws(DiskError) {
            if case .completing(let result) = mode, replica.position.sequence < result.sequence + 1
            {
                guard try findBegin(of: result, in: changes, upTo: sequence) else { return }
            }
            try replica.apply(changes, upTo: sequence, term: historyTerm)
            if case .completing(let result) = mode, sequence >= result.end {
                var whole = replica.position
                whole.role = .follower
                try replica.move(to: whole)
                mode = .following
            }
        } catch {
            // A change of a file that is not here: the files are not what the stream says.
            throw error.number == ENOENT ? .notUnderstood : .disk(error)
        }
    }

    /// Skips what was before the copy's beginning.
    ///
    /// - Returns: Whether the beginning is among the changes.
    private func findBegin(
        of result: FileCopy.Result, in changes: [FileChange], upTo sequence: UInt64
    ) throws(DiskError) -> Bool {
        guard let index = changes.firstIndex(of: .copyBegan(result.number)) else { return false }
        var position = replica.position
        position.changes = index + 1
        try replica.move(to: position)
        return true
    }

    /// The term that messages must have to continue the files' history.
    private var historyTerm: UInt64 {
        if case .completing(let result) = mode { result.term } else { replica.position.term }
    }

    // MARK: Copy

    /// Notes that the files are no state of the stream any more.
    func beginCopying() throws(ClusterError) {
        held = []
        do throws(DiskError) {
            try folders.removeLeftovers()
            try replica.move(
                to: NodePosition(role: .copying, stream: identity, sequence: next - 1, term: 0))
        } catch { throw .disk(error) }
        mode = .copying
    }

    func copyFiles() throws(ClusterError) -> Step {
        guard clock() - copied >= Times.copy else {
            // Only to know who leads; a read waits.
            try lookForLeader()
            return .waited
        }
        copied = clock()
        try lookForLeader()
        guard let leader, leader.node != node else { return .waited }
        let copy = FileCopy(
            stream: stream, node: node, leader: leader.node, term: leader.term, folders: folders,
            hash: hash, pause: pause, mayGoOn: mayGoOn)
        var begun = replica.position
        begun.changes = 1
        do throws(DiskError) { try replica.move(to: begun) } catch { throw .disk(error) }
        let result = try copy.run()
        replica = Replica(
            folders, positionFile,
            at: NodePosition(
                role: .copying, stream: identity, sequence: result.sequence, term: result.term))
        held = []
        next = result.sequence + 1
        mode = .completing(result)
        return .worked
    }

    private func lookForLeader() throws(ClusterError) {
        let messages = try asClusterError { () throws(ClusterStreamError) in
            let last = try stream.state().last
            return last == 0
                ? [] : try stream.read(from: last, waitingMilliseconds: Times.read)
        }
        guard let message = messages.last else { return }
        let entry = try StreamEntry(decoding: message.bytes)
        if entry.node == node, message.sequence > lastAtBegin { throw .sameName(node) }
        next = message.sequence + 1
        leader = (entry.node, entry.content.isClaim ? message.sequence : entry.term)
    }
}

extension StreamEntry.Content {
    var isClaim: Bool { if case .claimed = self { true } else { false } }
}
