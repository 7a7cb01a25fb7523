import SegmentLog
import SensorModel
import Sessions
import Sharing
import Synchronization
import Transport

extension PipelineCore {
    /// Begins a viewer's stream: snapshots, then what was missed, then the feeds.
    ///
    /// - Parameters:
    ///   - request: Admitted.
    ///   - admitted: The hash of the ID that it was admitted by.
    ///   - members: The share, or the members of its group.
    ///   - reader: Reads what was missed.
    func subscribe(
        _ request: SubscriptionRequest, by admitted: SecretHash, to members: [Share],
        reader: ShareReader
    ) {
        let subscriber = request.subscriber
        watchers[subscriber] = Watchers.Watch(
            link: request.key, feeds: members.map(\.key))
        guard let link = board.directory[request.key],
            link.idHash == admitted && board.directory.isShown(link, at: now)
        else {
            // Revoked, rotated or expired between the door and here.
            return send(.closeSubscriber(subscriber, .shareEnded), to: subscriber)
        }
        counters.viewers.store(watchers.count, ordering: .relaxed)
        // Its first snapshot is the recording's.
        guard request.at == nil else { return }
        if let plan = sharePlaybacks[request.key] { return switchOver(subscriber, to: plan) }
        switch request.resume {
        case nil: begin(subscriber, members, at: .now)
        case .lost: begin(subscriber, members, at: .gap)
        case .after(let cursor): resume(subscriber, members, after: cursor, reader)
        }
    }

    enum Beginning {
        case now
        /// What was missed follows.
        case after(LogCursor)
        /// Nobody knows what was missed.
        case gap
        /// Back from the recording.
        case back
    }

    /// Sends the snapshots and puts the viewer into its feeds.
    func begin(_ subscriber: SubscriberID, _ members: [Share], at beginning: Beginning) {
        let openings = join(members, by: subscriber)
        var start = SubscriptionStart(inGroup: isInGroup(subscriber))
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

    /// Whether its messages carry runners' names.
    func isInGroup(_ subscriber: SubscriberID) -> Bool {
        watchers[subscriber].map { $0.feeds != [$0.link] } ?? false
    }

    /// - Returns: Whether the subscriber was known.
    func unsubscribe(_ subscriber: SubscriberID) -> Bool {
        guard watchers[subscriber] != nil else { return false }
        leaveFeeds(subscriber)
        _ = watchers.remove(subscriber)
        counters.viewers.store(watchers.count, ordering: .relaxed)
        return true
    }

    /// Gives all of a viewer's places back; what it was to be told of the past is given up.
    func leaveFeeds(_ subscriber: SubscriberID) {
        guard let watch = watchers[subscriber] else { return }
        for seat in watch.seats { board.leave(seat) }
        for seat in watch.playbackSeats { playbacks.leave(seat) }
        watchers[subscriber]?.seats = []
        watchers[subscriber]?.playbackSeats = []
        watchers[subscriber]?.playback = nil
        watch.reading?.cancel()
        watchers[subscriber]?.reading = nil
        watchers[subscriber]?.catchUp = nil
        watchers[subscriber]?.catchUpNumber += 1
    }

    /// The session a share shows, in memory or brought back from the log.
    func sessionShown(by share: Share) -> LiveSession? { flow.sessionShown(by: share) }

    /// Whether what the share shows is still being read back from the log.
    func isLoading(_ share: Share) -> Bool {
        sessionShown(by: share).map { $0.computation == nil } ?? false
    }

    func join(_ members: [Share], by subscriber: SubscriberID) -> [FeedOpening] {
        members.compactMap { share -> FeedOpening? in
            _ = sessionShown(by: share)
            guard
                let joined = board.join(
                    share.key, loop: subscriber.loop, cursor: cursor, at: now)
            else { return nil }
            watchers[subscriber]?.seats.append(joined.seat)
            return FeedOpening(
                key: FeedKey(share.key), runnerName: share.runnerName,
                snapshot: joined.snapshot)
        }
    }

    private func gap(at cursor: LogCursor) -> EncodedEvent {
        let message = EventEncoder.historyGap(cursor: cursor, time: now)
        return EncodedEvent(cursor: message.cursor, json: message.json)
    }
}
