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
    /// After a start no session is in memory. The log then answers at once, and the session is loaded
    /// behind: whoever waited for that waited for each motion sample to be computed again.
    func snapshots(of share: Share, for peer: PeerAddress) async -> [[UInt8]] {
        let members = members(of: share)
        let isGroup = share.device == nil
        let sources =
            await pipeline.mailbox.ask { core -> [CatchUp.Source] in
                let sources = members.compactMap { core.unloaded(shownBy: $0) }
                if !sources.isEmpty { core.log.flush() }
                return sources
            } ?? []
        var read: [ShareKey: (source: CatchUp.Source, snapshot: FeedSnapshot)] = [:]
        for source in sources {
            guard let snapshot = await snapshot(of: source, by: share, for: peer) else { continue }
            read[source.share.key] = (source, snapshot)
        }
        let others = members.filter { read[$0.key] == nil }
        if !others.isEmpty { await pipeline.mailbox.waitUntilLoaded(others) }
        return await pipeline.mailbox.ask { [read] core in
            members.compactMap { member -> [UInt8]? in
                _ = core.sessionShown(by: member)
                let found = read[member.key].flatMap {
                    core.stillShows($0.source) ? $0.snapshot : nil
                }
                guard
                    let snapshot = found
                        ?? core.hub.snapshot(member.key, cursor: core.cursor, at: core.now)
                else { return nil }
                core.hub.dropUnwatched(member.key)
                let feed = FeedTable().open(
                    FeedKey(member.key), runnerName: member.runnerName, snapshot: snapshot)
                return feed.snapshotMessage(place: isGroup ? .inGroup : .alone).json
            }
        } ?? []
    }

    /// - Returns: `nil`: the log cannot tell, or not now, and the session must be loaded.
    private func snapshot(
        of source: CatchUp.Source, by link: Share, for peer: PeerAddress
    ) async -> FeedSnapshot? {
        let reader = pipeline.reader
        do {
            return try await reader.pool.run(for: .share(link.key), from: .address(peer.key)) {
                ticket in try reader.latest(of: source, ticket)
            }
        } catch { return nil }
    }
}
