package import SensorModel
package import Sharing

/// The recordings that are played: what each shows now, and which loops have viewers of it. To a
/// viewer a recording is a feed like a live session's, with the same merging, bounds and encodings.
/// In the pipeline's turns only.
package final class PlaybackBoard {
    /// A viewer's place at a playback, to be given back once.
    package struct Seat: Sendable {
        package let key: FeedKey
        fileprivate let loop: Int
    }

    private struct Entry {
        let share: Share
        var view: ShareView
        /// What the owner hides changed, and the playback has not begun again since.
        var isForgotten = false
        /// What viewers were told of by settings of before is not told to them a second time.
        var toldThrough: LogCursor?
        var viewers: [Int: Int] = [:]
    }

    private var entries: [FeedKey: Entry] = [:]
    private let send: (Int, FeedKey, FeedUpdate) -> Void

    package init(send: @escaping (Int, FeedKey, FeedUpdate) -> Void) {
        self.send = send
    }

    package var count: Int { entries.count }

    /// A playback begins, or goes on elsewhere: who watches it gets the snapshot.
    ///
    /// - Parameters:
    ///   - key: Of the playback.
    ///   - share: Whose scope counts; its delay is the source's business.
    ///   - everything: Shown at that moment.
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

    /// What the owner hides of these shares changed: nothing that was read by the settings of before
    /// is shown any more, not even what viewers are still owed. Each playback is to begin again.
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

    /// Drops what is of a playback that nobody plays any more, or that was read by settings of before.
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

    /// - Returns: What the viewer sees first, `nil` when the playback is over.
    package func join(_ key: FeedKey, loop: Int) -> (seat: Seat, snapshot: FeedSnapshot)? {
        guard let entry = entries[key] else { return nil }
        entries[key]?.viewers[loop, default: 0] += 1
        return (Seat(key: key, loop: loop), entry.view.snapshot)
    }

    package func leave(_ seat: Seat) {
        guard let count = entries[seat.key]?.viewers[seat.loop] else { return }
        entries[seat.key]?.viewers[seat.loop] = count > 1 ? count - 1 : nil
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
