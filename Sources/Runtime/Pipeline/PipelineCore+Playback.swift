import Replay
package import SensorModel
import Sessions
package import Sharing
import Transport

extension PipelineCore {
    /// Viewers of a playback.
    enum PlaybackAudience: Sendable {
        case viewer(SubscriberID)
        /// All viewers of the share, present and future.
        case share(ShareKey)
    }

    /// Starts a playback with its state at one moment and switches its audience to it.
    ///
    /// - Parameters:
    ///   - plan: Plan of the playback.
    ///   - beginnings: First update of each member, with the projection rule used to read it.
    /// - Returns: Whether the playback has viewers; `nil`: a rule is outdated, and nothing is
    ///   shown.
    package func begin(
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
            for subscriber in subscribers.watching(key) { switchOver(subscriber, to: plan) }
        }
        return plan.keys.contains { playbacks.isWatched($0) }
    }

    /// Projection rule that applies to a share now.
    package func rule(for share: Share) -> ProjectionRule {
        ProjectionRule(current(share), privacy: privacy(of: share))
    }

    /// The current version of a share. It may have changed since it was found. Another share of its
    /// device may have been added or removed, which also changes its visible data.
    package func current(_ share: Share) -> Share { hub.directory[share.key] ?? share }

    /// Restarts all live and played streams of a device after a change of its privacy settings.
    func privacyChanged(of device: DeviceID) {
        flow.privacyChanged(of: device)
        playbacks.forget(Set(hub.directory.shares(of: device).map(\.key)))
    }

    /// - Returns: Whether the playback has viewers.
    func publish(_ updates: [(FeedKey, [SessionUpdate])]) -> Bool {
        for (key, updates) in updates { playbacks.publish(updates, on: key) }
        return updates.isEmpty || updates.contains { playbacks.isWatched($0.0) }
    }

    /// Ends a playback: its viewers return to the live stream.
    package func end(_ plan: PlaybackRun.Plan) {
        for key in plan.keys { playbacks.end(key) }
        if case .share(let key) = plan.audience, sharePlaybacks[key]?.number == plan.number {
            sharePlaybacks[key] = nil
        }
        for subscriber in subscribers.watching(playback: plan.number) { returnToLive(subscriber) }
    }

    /// Returns a viewer of a playback to its live feeds; also used if there is no recording.
    func returnToLive(_ subscriber: SubscriberID) {
        guard let watch = subscribers[subscriber], watch.subscriptions.isEmpty else { return }
        leaveFeeds(subscriber)
        begin(subscriber, watch.feeds.compactMap { hub.directory[$0] }, at: .back)
    }

    func switchOver(_ subscriber: SubscriberID, to plan: PlaybackRun.Plan) {
        guard let watch = subscribers[subscriber] else { return }
        let keys = plan.keys.filter { playbacks.shows($0) }
        // Nothing to do if the viewer already switched, with the snapshot that all viewers got.
        if watch.playback == plan.number, watch.playbackSubscriptions.map(\.key) == keys { return }
        leaveFeeds(subscriber)
        subscribers[subscriber]?.playback = plan.number
        let openings = keys.compactMap { key -> FeedOpening? in
            guard let (subscription, snapshot) = playbacks.join(key, loop: subscriber.loop) else {
                return nil
            }
            subscribers[subscriber]?.playbackSubscriptions.append(subscription)
            let name = hub.directory[key.share]?.runnerName ?? ""
            return FeedOpening(key: key, runnerName: name, snapshot: snapshot)
        }
        let start = SubscriptionStart(
            resumedAt: openings.map(\.snapshot.cursor).max() ?? cursor,
            inGroup: isInGroup(subscriber))
        send(.feedsBegin(subscriber, openings, start), to: subscriber)
    }
}
