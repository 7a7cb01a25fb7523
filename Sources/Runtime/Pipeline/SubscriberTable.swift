import Replay
package import SensorModel
import Sessions
import Transport

/// The feeds of each subscriber. Only within the pipeline's turns.
package final class SubscriberTable {
    package struct Watch {
        /// Share of the viewer's link: a device's share, or a group.
        package let link: ShareKey
        /// The share, or a group's members.
        package let feeds: [ShareKey]
        /// Subscriptions on the hub; empty while the viewer watches a recording.
        var subscriptions: [ShareHub.Subscription] = []
        var playbackSubscriptions: [PlaybackHub.Subscription] = []
        /// Number of the playback that it watches.
        package var playback: UInt64?
        /// Distinguishes the current catch-up from cancelled ones.
        var catchUpNumber: UInt64 = 0
        /// Missed events that are not sent yet; `nil`: none, or they are being read.
        var catchUp: CatchUp?
        /// Reads the missed events, or validates the cursor; cancelled when the result is not
        /// needed.
        package var reading: Task<Void, Never>?
    }

    /// Subscribers by a property: an end of one share must not cost a look at all viewers.
    private struct Index<Key: Hashable> {
        private var subscribers: [Key: Set<SubscriberID>] = [:]

        subscript(key: Key) -> Set<SubscriberID> { subscribers[key] ?? [] }

        mutating func insert(_ subscriber: SubscriberID, for key: Key) {
            subscribers[key, default: []].insert(subscriber)
        }

        mutating func remove(_ subscriber: SubscriberID, for key: Key) {
            subscribers[key]?.remove(subscriber)
            if subscribers[key]?.isEmpty == true { subscribers[key] = nil }
        }
    }

    private var watches: [SubscriberID: Watch] = [:]
    private var byLink = Index<ShareKey>()
    private var byFeed = Index<ShareKey>()
    private var byPlayback = Index<UInt64>()

    subscript(subscriber: SubscriberID) -> Watch? {
        get { watches[subscriber] }
        set {
            let old = watches[subscriber]
            watches[subscriber] = newValue
            if old?.playback != newValue?.playback {
                if let number = old?.playback { byPlayback.remove(subscriber, for: number) }
                if let number = newValue?.playback { byPlayback.insert(subscriber, for: number) }
            }
            guard old?.link != newValue?.link || old?.feeds != newValue?.feeds else { return }
            if let old { forget(subscriber, old) }
            if let newValue {
                byLink.insert(subscriber, for: newValue.link)
                for feed in newValue.feeds { byFeed.insert(subscriber, for: feed) }
            }
        }
    }

    private func forget(_ subscriber: SubscriberID, _ watch: Watch) {
        byLink.remove(subscriber, for: watch.link)
        for feed in watch.feeds { byFeed.remove(subscriber, for: feed) }
    }

    package var count: Int { watches.count }

    /// Viewers of just this share; without those of groups.
    package func watching(_ key: ShareKey) -> [SubscriberID] {
        byFeed[key].filter { watches[$0]?.feeds == [key] }
    }

    package func watching(playback number: UInt64) -> [SubscriberID] {
        Array(byPlayback[number])
    }

    /// Viewers that connected by a link, whatever they watch now.
    func viewers(ofLink link: ShareKey) -> [SubscriberID] {
        Array(byLink[link])
    }

    /// Viewers that see the share as one runner of a group.
    func groupViewers(of member: ShareKey) -> [SubscriberID] {
        byFeed[member].filter { watches[$0]?.link != member }
    }

    package func remove(_ subscriber: SubscriberID) -> Watch? {
        defer { self[subscriber] = nil }
        return watches[subscriber]
    }
}
