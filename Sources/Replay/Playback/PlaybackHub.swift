package import SensorModel
package import Sharing

/// The recordings in playback, with the current view of each and the event loops of its viewers.
///
/// For a viewer a playback is a feed like a live session's, with the same merging, limits and
/// encodings. Only the pipeline's turns use it (see `PipelineTurns`).
package final class PlaybackHub {
    /// A viewer's subscription to a playback, to be returned once.
    package struct Subscription: Sendable {
        package let key: FeedKey
        fileprivate let loop: Int
    }

    private struct Entry {
        let share: Share
        var view: ShareView
        /// Whether the owner's privacy settings changed and the playback has not begun again since.
        var isForgotten = false
        /// End of the updates that viewers got under earlier settings; they do not get these again.
        var toldThrough: LogCursor?
        var viewers: [Int: Int] = [:]
    }

    private var entries: [FeedKey: Entry] = [:]
    private let send: (Int, FeedKey, FeedUpdate) -> Void

    package init(send: @escaping (Int, FeedKey, FeedUpdate) -> Void) {
        self.send = send
    }

    package var count: Int { entries.count }

    /// Starts a playback, or continues it at another moment: its viewers get the snapshot.
    ///
    /// - Parameters:
    ///   - key: The playback's key.
    ///   - share: The share whose scope applies; the source applies its delay.
    ///   - everything: All updates shown at that moment.
    package func begin(_ key: FeedKey, of share: Share, with everything: SessionUpdate) {
        var share = share
        share.delaySeconds = 0
        var view = ShareView(share, cursor: everything.cursor, at: everything.time)
        let update = view.take(everything, at: everything.time)
        let before = entries[key]
        entries[key] = Entry(
            share: share, view: view,
            toldThrough: before?.isForgotten == true ? before?.toldThrough : nil,
            viewers: before?.viewers ?? [:])
        if let update { broadcast(update, of: key) }
    }

    /// Stops the playbacks of these shares after a change of their privacy settings. Updates read
    /// under earlier settings are dropped, even those already queued. Each playback must begin
    /// again.
    package func forget(_ shares: Set<ShareKey>) {
        for (key, entry) in entries where shares.contains(key.share) {
            let before = entry.view.snapshot
            let view = ShareView(entry.share, cursor: before.cursor, at: before.time)
            entries[key] = Entry(
                share: entry.share, view: view, isForgotten: true, toldThrough: before.cursor,
                viewers: entry.viewers)
            var update = FeedUpdate(
                cursor: before.cursor, time: before.time, changed: view.snapshot.fields,
                urgent: true, begins: true)
            update.forgets = true
            broadcast(update, of: key)
        }
    }

    /// Publishes updates. Drops them if the playback is over, or if they were read under earlier
    /// settings.
    package func publish(_ updates: [SessionUpdate], on key: FeedKey) {
        guard entries[key]?.isForgotten == false else { return }
        for var update in updates {
            if let told = entries[key]?.toldThrough, update.cursor <= told {
                update.event = []
            }
            if let feed = entries[key]?.view.take(update, at: update.time) {
                broadcast(feed, of: key)
            }
        }
    }

    /// - Returns: The first view; `nil` if the playback is over.
    package func join(_ key: FeedKey, loop: Int) -> (
        subscription: Subscription, snapshot: FeedSnapshot
    )? {
        guard let entry = entries[key] else { return nil }
        entries[key]?.viewers[loop, default: 0] += 1
        return (Subscription(key: key, loop: loop), entry.view.snapshot)
    }

    package func leave(_ subscription: Subscription) {
        guard let count = entries[subscription.key]?.viewers[subscription.loop] else { return }
        entries[subscription.key]?.viewers[subscription.loop] = count > 1 ? count - 1 : nil
    }

    package func shows(_ key: FeedKey) -> Bool { entries[key] != nil }

    package func isWatched(_ key: FeedKey) -> Bool { entries[key]?.viewers.isEmpty == false }

    package func end(_ key: FeedKey) {
        entries[key] = nil
    }

    private func broadcast(_ update: FeedUpdate, of key: FeedKey) {
        for loop in entries[key]?.viewers.keys ?? [:].keys { send(loop, key, update) }
    }
}
