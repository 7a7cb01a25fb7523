import SensorModel
import Sessions
import Sharing
import Transport

extension PipelineCore {
    /// Who watches a playback.
    enum PlaybackAudience: Sendable {
        case viewer(SubscriberID)
        /// Everybody who watches the share, now or later.
        case share(ShareKey)
    }

    /// A playback shows everything as it was at a moment; its audience switches to it.
    ///
    /// - Parameters:
    ///   - plan: Of the playback.
    ///   - beginnings: Of each member, with the rule that it was read by.
    /// - Returns: Whether anybody watches; `nil`: a rule holds no more, and nothing is shown.
    func begin(
        _ plan: PlaybackRun.Plan, with beginnings: [(Share, ProjectionRule, SessionUpdate)]
    ) -> Bool? {
        guard beginnings.allSatisfy({ $0.1 == rule(for: $0.0) }) else { return nil }
        for (share, _, everything) in beginnings {
            playbacks.begin(
                FeedKey(share.key, playback: plan.number), of: share, with: everything)
        }
        switch plan.audience {
        case .viewer(let subscriber): switchOver(subscriber, to: plan)
        case .share(let key):
            sharePlaybacks[key] = plan
            for subscriber in watchers.watching(key) { switchOver(subscriber, to: plan) }
        }
        return plan.keys.contains { playbacks.isWatched($0) }
    }

    /// Which records count for a share now.
    func rule(for share: Share) -> ProjectionRule {
        ProjectionRule(current(share), privacy: privacy(of: share))
    }

    /// A share as it is now: since it was found it may have been changed, or another share of its
    /// device may have come or gone, which changes what it shows.
    func current(_ share: Share) -> Share { board.directory[share.key] ?? share }

    /// What may be shown of a device changed: what is shown, live or played, begins anew.
    func privacyChanged(of device: DeviceID) {
        flow.privacyChanged(of: device)
        playbacks.forget(Set(board.directory.shares(of: device).map(\.key)))
    }

    /// - Returns: Whether anybody watches.
    func publish(_ updates: [(FeedKey, [SessionUpdate])]) -> Bool {
        for (key, updates) in updates { playbacks.publish(updates, on: key) }
        return updates.isEmpty || updates.contains { playbacks.isWatched($0.0) }
    }

    /// A playback is over: who watches it sees again what is live.
    func end(_ plan: PlaybackRun.Plan) {
        for key in plan.keys { playbacks.end(key) }
        if case .share(let key) = plan.audience, sharePlaybacks[key]?.number == plan.number {
            sharePlaybacks[key] = nil
        }
        for subscriber in watchers.watching(playback: plan.number) { returnToLive(subscriber) }
    }

    /// Puts a viewer of a recording, or one for whom there is none, into its live feeds.
    func returnToLive(_ subscriber: SubscriberID) {
        guard let watch = watchers[subscriber], watch.seats.isEmpty else { return }
        leaveFeeds(subscriber)
        begin(subscriber, watch.feeds.compactMap { board.directory[$0] }, at: .back)
    }

    func switchOver(_ subscriber: SubscriberID, to plan: PlaybackRun.Plan) {
        guard let watch = watchers[subscriber] else { return }
        let keys = plan.keys.filter { playbacks.shows($0) }
        // It is there already, and got the snapshot with everybody.
        if watch.playback == plan.number, watch.playbackSeats.map(\.key) == keys { return }
        leaveFeeds(subscriber)
        watchers[subscriber]?.playback = plan.number
        let openings = keys.compactMap { key -> FeedOpening? in
            guard let (seat, snapshot) = playbacks.join(key, loop: subscriber.loop) else {
                return nil
            }
            watchers[subscriber]?.playbackSeats.append(seat)
            let name = board.directory[key.share]?.runnerName ?? ""
            return FeedOpening(key: key, runnerName: name, snapshot: snapshot)
        }
        let start = SubscriptionStart(
            resumedAt: openings.map(\.snapshot.cursor).max() ?? cursor,
            inGroup: isInGroup(subscriber))
        send(.feedsBegin(subscriber, openings, start), to: subscriber)
    }
}
