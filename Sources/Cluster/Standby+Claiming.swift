import SegmentLog

/// How a node begins, and how it becomes the leader.
extension Standby {
    /// Finds out what the node's files are in the stream's history.
    func begin() throws(ClusterError) {
        let state = try asClusterError { () throws(ClusterStreamError) in try stream.state() }
        let position: NodePosition?
        let hasFiles: Bool
        do throws(DiskError) {
            position = try positionFile.read()
            hasFiles = try !folders.names().isEmpty
        } catch { throw .disk(error) }
        identity = state.identity
        lastAtBegin = state.last
        next = state.last + 1
        heard = clock()
        if mustLead {
            if let position, position.role == .copying, position.changes > 0 { throw .mixedFiles }
            mode = .waiting(milliseconds: 0, lastTerm: try lastEntry(state)?.term ?? 0)
            return
        }
        guard let position else { return try beginAsNew(state, hasFiles: hasFiles) }
        guard position.stream == state.identity, position.sequence <= state.last else {
            guard state.last > 0 else { throw .otherStream }
            return try beginCopying()
        }
        switch position.role {
        case .copying: try beginCopying()
        case .follower:
            let isWhole: Bool
            do throws(DiskError) {
                // Commits that are not in the registry's file: another daemon has used it.
                isWhole = try !folders.hasUnfoldedCommits()
            } catch { throw .disk(error) }
            guard isWhole, position.sequence + 1 >= state.first else { return try beginCopying() }
            do throws(DiskError) { try folders.removeLeftovers() } catch { throw .disk(error) }
            replica = Replica(folders, positionFile, at: position)
            next = position.sequence + 1
            mode = .following
        case .leader:
            guard let last = try lastEntry(state),
                last.term == position.sequence || last.isOwnClaim
            else { return try beginCopying() }
            mode = .waiting(milliseconds: Times.formerLeader, lastTerm: last.term)
        }
    }

    private func beginAsNew(
        _ state: StreamState, hasFiles: Bool
    ) throws(ClusterError) {
        guard state.last > 0 else {
            mode = .waiting(milliseconds: hasFiles ? 0 : Times.emptyNode, lastTerm: 0)
            return
        }
        if let last = try lastEntry(state), last.isOwnClaim {
            mode = .waiting(milliseconds: Times.emptyNode, lastTerm: last.term)
            return
        }
        if hasFiles { throw .hasOwnRecordings }
        try beginCopying()
    }

    /// - Returns: The term of the stream's last message, and whether that is a claim of this node,
    ///   which ended before it could note it; `nil`: there is no message.
    private func lastEntry(
        _ state: StreamState
    ) throws(ClusterError) -> (term: UInt64, isOwnClaim: Bool)? {
        guard state.last > 0 else { return nil }
        let messages = try asClusterError { () throws(ClusterStreamError) in
            try stream.read(from: state.last, waitingMilliseconds: Times.read)
        }
        guard let message = messages.first else {
            throw .stream(.unavailable("its last message does not come"))
        }
        let entry = try StreamEntry(decoding: message.bytes)
        let term = entry.content.isClaim ? message.sequence : entry.term
        leader = (entry.node, term)
        next = message.sequence + 1
        return (term, entry.content.isClaim && entry.node == node)
    }

    // MARK: Claims

    /// Claims if nobody leads and this node's files may.
    ///
    /// - Returns: `nil`: it is not time.
    func claimIfSilent() throws(ClusterError) -> Step? {
        let silence: Int
        let isToBeCompared: Bool
        switch mode {
        case .following: (silence, isToBeCompared) = (hasResigned ? 0 : Times.silence, false)
        case .waiting(let milliseconds, _): (silence, isToBeCompared) = (milliseconds, true)
        case .starting, .copying, .completing: return nil
        }
        guard clock() - heard >= silence else { return nil }
        let state = try asClusterError { () throws(ClusterStreamError) in try stream.state() }
        // Something is there to be read first.
        guard state.identity == identity, state.last >= next - 1 else {
            // The stream was made anew, or has lost its end: what the files are is asked again.
            mode = .starting
            return .worked
        }
        guard state.last == next - 1 else { return nil }
        do throws(DiskError) { if mode == .following { try replica.save() } } catch {
            throw .disk(error)
        }
        let entry = StreamEntry(
            node: node, term: 0, .claimed(isToBeCompared: isToBeCompared))
        let claim = Claim(
            bytes: entry.encoded(), last: next - 1, name: "claim-\(node)-\(draw())")
        return try repeatClaim(claim)
    }

    /// Appends a claim, whose first attempt may have been stored.
    func repeatClaim(_ claim: Claim) throws(ClusterError) -> Step {
        self.claim = claim
        let term: UInt64
        do throws(ClusterStreamError) {
            term = try stream.append(claim.bytes, after: claim.last, name: claim.name)
        } catch {
            guard case .outranked = error else { throw .stream(error) }
            self.claim = nil
            heard = clock()
            return .worked
        }
        self.claim = nil
        do throws(DiskError) {
            // Before the first change that the stream may not have.
            try replica.move(
                to: NodePosition(role: .leader, stream: identity, sequence: term, term: term))
        } catch { throw .disk(error) }
        return .claimed(term: term)
    }
}
