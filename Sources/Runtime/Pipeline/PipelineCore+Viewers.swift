import Replay
import SegmentLog
package import SensorModel
package import Sessions
import Sharing
import Synchronization
package import Transport

extension PipelineCore {
    /// Begins a viewer's stream: snapshots, then missed events, then the feeds.
    ///
    /// - Parameters:
    ///   - request: Admitted request.
    ///   - members: The share, or the members of its group.
    ///   - reader: Reader of the missed events.
    package func subscribe(
        _ request: SubscriptionRequest, to members: [Share], reader: ShareReader
    ) {
        let subscriber = request.subscriber
        subscribers[subscriber] = SubscriberTable.Watch(
            link: request.key, feeds: members.map(\.key))
        counters.viewers.store(subscribers.count, ordering: .relaxed)
        whenSettled(members, for: subscriber, reader) { core in
            guard let link = core.hub.directory[request.key],
                link.idHash == request.share.idHash
                    && core.hub.directory.isShown(link, at: core.now)
            else {
                // The share was revoked, rotated or expired after the listener admitted the viewer.
                return core.send(.closeSubscriber(subscriber, .shareEnded), to: subscriber)
            }
            // Somebody joined the group after the viewer was admitted.
            let feeds = core.hub.directory.feeds(of: link, at: core.now).map(\.key)
            guard Set(feeds).isSubset(of: members.map(\.key)) else {
                return core.send(.closeSubscriber(subscriber, .goingAway), to: subscriber)
            }
            // A viewer that asks for a recording gets its first snapshot from there.
            guard request.at == nil else { return }
            if let plan = core.sharePlaybacks[request.key] {
                return core.switchOver(subscriber, to: plan)
            }
            // A member may have been deleted while another one was read.
            let members = members.compactMap { core.hub.directory[$0.key] }
            switch request.resume {
            case nil: core.begin(subscriber, members, at: .now)
            case .lost: core.begin(subscriber, members, at: .gap)
            case .after(let cursor): core.resume(subscriber, members, after: cursor, reader)
            }
        }
    }

    /// Continues with a viewer once the log has answered what the shares show
    /// (``ShareReader/resolve(_:for:from:)``). This is immediate except shortly after a start or a
    /// change of settings.
    private func whenSettled(
        _ members: [Share], for subscriber: SubscriberID, _ reader: ShareReader,
        _ body: @escaping @Sendable (PipelineCore) -> Void
    ) {
        guard let watch = subscribers[subscriber],
            members.contains(where: { unresolved(by: $0) != nil })
        else { return body(self) }
        let number = watch.catchUpNumber
        subscribers[subscriber]?.reading = Task {
            var isResolved = true
            do {
                try await reader.resolve(
                    members, for: .share(watch.link), from: .viewer(subscriber))
            } catch { isResolved = false }
            reader.mailbox.post { [isResolved] core in
                guard core.subscribers[subscriber]?.catchUpNumber == number else { return }
                guard isResolved else {
                    return core.send(
                        .closeSubscriber(subscriber, .tooManyRequests), to: subscriber)
                }
                body(core)
            }
        }
    }

    package enum Beginning {
        case now
        /// Missed events follow.
        case after(LogCursor)
        /// The missed events are unknown.
        case gap
        /// Return from a recording.
        case back
    }

    /// Sends the snapshots and subscribes the viewer to its feeds.
    package func begin(_ subscriber: SubscriberID, _ members: [Share], at beginning: Beginning) {
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

    /// Whether messages to the subscriber carry runners' names.
    func isInGroup(_ subscriber: SubscriberID) -> Bool {
        subscribers[subscriber].map { $0.feeds != [$0.link] } ?? false
    }

    /// - Returns: Whether the subscriber was known.
    package func unsubscribe(_ subscriber: SubscriberID) -> Bool {
        guard subscribers[subscriber] != nil else { return false }
        leaveFeeds(subscriber)
        _ = subscribers.remove(subscriber)
        counters.viewers.store(subscribers.count, ordering: .relaxed)
        return true
    }

    /// Removes all of a viewer's subscriptions and cancels its catch-up.
    func leaveFeeds(_ subscriber: SubscriberID) {
        guard let watch = subscribers[subscriber] else { return }
        for subscription in watch.subscriptions { hub.leave(subscription) }
        for subscription in watch.playbackSubscriptions { playbacks.leave(subscription) }
        subscribers[subscriber]?.subscriptions = []
        subscribers[subscriber]?.playbackSubscriptions = []
        subscribers[subscriber]?.playback = nil
        watch.reading?.cancel()
        subscribers[subscriber]?.reading = nil
        subscribers[subscriber]?.catchUp = nil
        subscribers[subscriber]?.catchUpNumber += 1
    }

    /// The session that a share shows, from memory or loaded from the log.
    package func sessionShown(by share: Share) -> LiveSession? { flow.sessionShown(by: share) }

    /// Whether the session that the share shows is still being loaded from the log.
    func isLoading(_ share: Share) -> Bool {
        sessionShown(by: share).map { $0.computation == nil } ?? false
    }

    /// The session that a share shows, if only the log can answer for it because it is not in
    /// memory or still being loaded. A share with a delay is answered by memory alone.
    ///
    /// - Returns: The session as a source to read; `nil`: memory answers.
    package func unloaded(shownBy share: Share) -> CatchUp.Source? {
        let share = current(share)
        guard share.delaySeconds == 0, let session = hub.session(shownBy: share, at: now) else {
            return nil
        }
        guard flow.sessions[session].map({ $0.computation == nil }) ?? true else { return nil }
        return CatchUp.Source(
            share: share, privacy: privacy(of: share), sessions: [session], end: cursor.offset)
    }

    /// A session that must be read before the daemon knows what a share shows.
    struct Unresolved: Sendable {
        /// The session as a source to read.
        let source: CatchUp.Source
        /// As ``DeviceSessions/Unresolved/isOfEnd``.
        let isOfEnd: Bool
    }

    /// - Returns: `nil`: what the share shows is known.
    func unresolved(by share: Share) -> Unresolved? {
        guard let share = hub.directory[share.key], let device = share.device else { return nil }
        while let found = hub.unresolved(by: share, at: now) {
            let source = CatchUp.Source(
                share: share, privacy: privacy(of: share), sessions: [found.session],
                end: cursor.offset)
            guard !found.isOfEnd, source.rule == .everything else {
                log.flush()
                return Unresolved(source: source, isOfEnd: found.isOfEnd)
            }
            // Without a privacy rule all of the session is in view.
            hub.resolve(found.session, of: device, cameIntoView: Timestamp(microseconds: .min))
        }
        return nil
    }

    /// Notes when the session of a source first ended; `nil`: it has not ended.
    func resolve(_ source: CatchUp.Source, ended time: Timestamp?) {
        guard let session = source.sessions.first, let device = source.share.device else { return }
        hub.resolve(session, of: device, ended: time)
        flow.showWatched(of: device)
    }

    /// Notes when the first visible record of a source's session arrived, if the source's settings
    /// still hold; `nil`: nothing is visible.
    func resolve(_ source: CatchUp.Source, cameIntoView time: Timestamp?) {
        guard let session = source.sessions.first, let device = source.share.device,
            stillShows(source)
        else { return }
        hub.resolve(session, of: device, cameIntoView: time)
        guard time == nil else { return }
        // Events that a trimmed finish holds back appear as time passes, if the session is in
        // memory.
        if let last = log.summary(of: session)?.arrivalTimes.upperBound,
            now.seconds(since: last) < source.rule.secondsLate
        {
            _ = flow.known(session, isRecorded: false)
        }
        flow.showWatched(of: device)
    }

    /// Whether data read from a source is still valid: since then the share may be over, its
    /// settings may have changed, or the session may be erased.
    package func stillShows(_ source: CatchUp.Source) -> Bool {
        guard holds(source) else { return false }
        let share = current(source.share)
        return hub.session(shownBy: share, at: now) == source.sessions.first
    }

    private func holds(_ source: CatchUp.Source) -> Bool {
        guard let share = hub.directory[source.share.key] else { return false }
        return share.isActive(at: now) && share.scope == source.share.scope
            && ProjectionRule(share, privacy: privacy(of: share)) == source.rule
    }

    /// Whether an answer may still be sent.
    package enum Standing: Sendable {
        case holds
        /// One of its shares is over, or the privacy rule changed: the answer must be read again.
        case changed
        /// The link is over.
        case over
    }

    /// Whether data read for a link may still be sent. While the reading waited for its turn, the
    /// link, its shares or their privacy settings may have changed.
    ///
    /// - Parameters:
    ///   - sources: Sources that were read.
    ///   - link: The link as it was admitted.
    /// - Returns: The standing now.
    package func standing(of sources: [CatchUp.Source], for link: Share) -> Standing {
        guard let current = hub.directory[link.key], current.idHash == link.idHash,
            hub.directory.isShown(current, at: now)
        else { return .over }
        return sources.allSatisfy(holds) ? .holds : .changed
    }

    func join(_ members: [Share], by subscriber: SubscriberID) -> [FeedOpening] {
        members.compactMap { share -> FeedOpening? in
            _ = sessionShown(by: share)
            guard
                let joined = hub.join(
                    share.key, loop: subscriber.loop, cursor: cursor, at: now)
            else { return nil }
            subscribers[subscriber]?.subscriptions.append(joined.subscription)
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
