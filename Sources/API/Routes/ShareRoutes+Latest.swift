import Runtime
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Transport

/// The last values that a share shows.
extension ShareRoutes {
    /// Snapshots of a share, or of a group's members in its order.
    ///
    /// After a start no session is in memory. The log then answers at once for a share, and the session
    /// is loaded behind: whoever waited for that waited for each motion sample to be computed again.
    /// A group waits for its sessions, two seconds at most: reading fifty snapshots one by one would
    /// take longer.
    ///
    /// - Throws: Why it is not known now which session the share shows, see
    ///   ``ShareReader/settle(_:for:from:)``.
    func snapshots(of share: Share, for peer: PeerAddress) async throws -> [[UInt8]] {
        let members = members(of: share)
        let isGroup = share.device == nil
        try await pipeline.reader.settle(
            members, for: .share(share.key), from: .address(peer.key))
        let read = isGroup ? nil : await readSnapshot(of: share, for: peer)
        if read == nil { await pipeline.mailbox.waitUntilLoaded(members) }
        return try await pipeline.mailbox.answerForReader { core in
            guard core.standing(of: [], for: share) == .holds else { return [] }
            return members.compactMap { member -> [UInt8]? in
                _ = core.sessionShown(by: member)
                let found = read.flatMap { core.stillShows($0.source) ? $0.snapshot : nil }
                guard
                    let snapshot = found
                        ?? core.hub.snapshot(member.key, cursor: core.cursor, at: core.now)
                else { return nil }
                core.hub.dropUnwatched(member.key)
                let feed = FeedTable().open(
                    FeedKey(member.key), runnerName: member.runnerName, snapshot: snapshot)
                return feed.snapshotMessage(place: isGroup ? .inGroup : .alone).json
            }
        }
    }

    /// - Returns: `nil`: the session is in memory, or the log cannot tell, or not now.
    private func readSnapshot(
        of share: Share, for peer: PeerAddress
    ) async -> (source: CatchUp.Source, snapshot: FeedSnapshot)? {
        let source = await pipeline.mailbox.askForReader { core -> CatchUp.Source? in
            let source = core.unloaded(shownBy: share)
            if source != nil { core.log.flush() }
            return source
        }
        guard let source = source ?? nil else { return nil }
        let reader = pipeline.reader
        // A refused reading is as none: the session is waited for.
        let snapshot = try? await reader.pool.run(
            for: .share(share.key), from: .address(peer.key)
        ) { ticket in try reader.latest(of: source, ticket) }
        return (snapshot ?? nil).map { (source, $0) }
    }
}
