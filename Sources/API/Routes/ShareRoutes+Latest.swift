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
    /// After a start no session is in memory. For a single share the log then answers at once, and
    /// the session is loaded in the background: waiting for that means computing each motion sample
    /// again. A group waits for its sessions, two seconds at most, because reading fifty snapshots
    /// one by one would take longer.
    ///
    /// - Throws: The reason why the session that the share shows is not known now, see
    ///   ``ShareReader/resolve(_:for:from:)``.
    func snapshots(of share: Share, for peer: PeerAddress) async throws -> [[UInt8]] {
        let members = members(of: share)
        let isGroup = share.device == nil
        try await pipeline.reader.resolve(
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

    /// - Returns: `nil`: the session is in memory, or the log cannot answer.
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
        // After a refused read the request waits for the session to be loaded.
        let snapshot = try? await reader.pool.run(
            for: .share(share.key), from: .address(peer.key)
        ) { ticket in try reader.latest(of: source, ticket) }
        return (snapshot ?? nil).map { (source, $0) }
    }
}
