import SegmentLog
import SensorModel
import Sessions
import Sharing
import Synchronization
import Transport

extension PipelineCore {
    /// Missed events handed to a socket at once.
    private static let catchUpBatchMax = 128

    /// Begins a viewer's stream: snapshots, then what was missed, then the feeds.
    ///
    /// - Parameters:
    ///   - request: Admitted.
    ///   - admitted: The hash of the ID that it was admitted by.
    ///   - members: The share, or the members of its group.
    ///   - history: Reads what was missed.
    ///   - background: Where it is read.
    func subscribe(
        _ request: SubscriptionRequest, by admitted: SecretHash, to members: [Share],
        history: HistoryReader, background: BackgroundWork
    ) {
        let subscriber = request.subscriber
        watchers[subscriber] = Watchers.Watch(link: request.key, feeds: members.map(\.key))
        guard let link = board.directory[request.key],
            link.idHash == admitted && board.directory.isShown(link, at: now)
        else {
            // Revoked, rotated or expired between the door and here.
            return send(.closeSubscriber(subscriber, .shareEnded), to: subscriber)
        }
        counters.viewers.store(watchers.count, ordering: .relaxed)
        guard request.at == nil else {
            watchers[subscriber]?.isAway = true  // Its first snapshot is the recording's.
            return
        }
        switch request.resume {
        case nil: begin(subscriber, members, at: .now)
        case .lost: begin(subscriber, members, at: .gap)
        case .after(let cursor):
            // Whose record it is stands in the log.
            log.flush()
            let mailbox = parts.mailbox
            background.start {
                let isKnown = history.isCursor(cursor, of: members)
                mailbox.post { core in
                    // It may have left or gone to the recording meanwhile.
                    guard let watch = core.watchers[subscriber], !watch.isAway else { return }
                    core.begin(subscriber, members, at: isKnown ? .after(cursor) : .gap)
                    guard isKnown else { return }
                    core.catchUp(
                        subscriber, members: members, after: cursor.offset, history, background)
                }
            }
        }
    }

    private enum Beginning {
        case now
        /// What was missed follows.
        case after(LogCursor)
        /// Nobody knows what was missed.
        case gap
        /// Back from the recording.
        case back
    }

    /// Sends the snapshots and puts the viewer into its feeds.
    private func begin(_ subscriber: SubscriberID, _ members: [Share], at beginning: Beginning) {
        let openings = join(members, by: subscriber)
        let isGroup = watchers[subscriber].map { $0.feeds != [$0.link] } ?? false
        var start = SubscriptionStart(inGroup: isGroup)
        let newest = openings.map(\.snapshot.cursor).max() ?? cursor
        switch beginning {
        case .now: break
        case .after(let cursor):
            start.resumedAt = cursor
            start.catchingUp = true
        case .gap:
            start.resumedAt = newest
            start.preface = [gap(at: newest)]
        case .back: start.resumedAt = newest
        }
        send(.feedsBegin(subscriber, openings, start), to: subscriber)
    }

    /// - Returns: Whether the subscriber was known.
    func unsubscribe(_ subscriber: SubscriberID) -> Bool {
        guard let watch = watchers.remove(subscriber) else { return false }
        for seat in watch.seats { board.leave(seat) }
        counters.viewers.store(watchers.count, ordering: .relaxed)
        return true
    }

    /// Takes a viewer out of its feeds: it watches the recording.
    func leaveFeeds(_ subscriber: SubscriberID) {
        guard let watch = watchers[subscriber], !watch.isAway else { return }
        for seat in watch.seats { board.leave(seat) }
        watchers[subscriber]?.seats = []
        watchers[subscriber]?.isAway = true
        send(.feedsLeft(subscriber), to: subscriber)
    }

    /// Puts a viewer back into its feeds.
    func returnToFeeds(_ subscriber: SubscriberID) {
        guard let watch = watchers[subscriber], watch.isAway else { return }
        watchers[subscriber]?.isAway = false
        begin(subscriber, watch.feeds.compactMap { board.directory[$0] }, at: .back)
    }

    /// The session a share shows, in memory or brought back from the log.
    func sessionShown(by share: Share) -> LiveSession? {
        board.session(shownBy: share, at: now).flatMap { flow.known($0, isRecorded: false) }
    }

    /// Whether what the share shows is still being read back from the log.
    func isLoading(_ share: Share) -> Bool {
        sessionShown(by: share).map { $0.computation == nil } ?? false
    }

    private func join(_ members: [Share], by subscriber: SubscriberID) -> [FeedOpening] {
        members.compactMap { share in
            _ = sessionShown(by: share)
            guard
                let joined = board.join(
                    share.key, loop: subscriber.loop, cursor: cursor, at: now)
            else { return nil }
            watchers[subscriber]?.seats.append(joined.seat)
            return FeedOpening(
                key: share.key, runnerName: share.runnerName, snapshot: joined.snapshot)
        }
    }

    private func gap(at cursor: LogCursor) -> EncodedEvent {
        let message = EventEncoder.historyGap(cursor: cursor, time: now)
        return EncodedEvent(cursor: message.cursor, json: message.json)
    }

    private func catchUp(
        _ subscriber: SubscriberID, members: [Share], after: RecordOffset,
        _ history: HistoryReader, _ background: BackgroundWork
    ) {
        typealias Source = (share: Share, sessions: [SessionID], end: RecordOffset)
        var due = now
        let sources = members.compactMap { share -> Source? in
            guard let snapshot = board.snapshot(share.key, cursor: cursor, at: now) else {
                return nil
            }
            let sessions = board.sessions(openTo: share, after: after, at: now)
            let missed = board.missed(of: share, before: snapshot, cursor: cursor)
            due = max(due, missed.due ?? due)
            return (share, sessions, missed.through)
        }
        let views = sources.map { source in
            HistoryView(
                epoch: log.epoch, scope: source.share.scope,
                privacy: source.share.device.map { accounts.privacy(of: $0) } ?? .none,
                runnerName: members.count > 1 ? source.share.runnerName : nil)
        }
        let mailbox = parts.mailbox
        let end = cursor.offset
        log.flush()
        background.start(afterMicroseconds: due.microseconds - now.microseconds) { [log] in
            log.waitUntilWritten(through: end)
            var events: [EncodedEvent] = []
            for (source, view) in zip(sources, views) {
                for session in source.sessions {
                    events += history.events(
                        of: session, as: view, after: after, through: source.end)
                }
            }
            let sorted = events.sorted { $0.cursor < $1.cursor }
            mailbox.post { core in
                core.watchers[subscriber]?.missed = sorted[...]
                core.continueCatchUp(of: subscriber)
            }
        }
    }

    /// The socket has room for the next of what a viewer missed.
    func continueCatchUp(of subscriber: SubscriberID) {
        guard let missed = watchers[subscriber]?.missed else { return }
        guard !missed.isEmpty else {
            watchers[subscriber]?.missed = nil
            return send(.caughtUp(subscriber), to: subscriber)
        }
        watchers[subscriber]?.missed = missed.dropFirst(Self.catchUpBatchMax)
        send(
            .catchUp(subscriber, Array(missed.prefix(Self.catchUpBatchMax))), to: subscriber)
    }
}
