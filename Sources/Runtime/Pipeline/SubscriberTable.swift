import Replay
package import SensorModel
import Sessions
import Transport

/// The feeds of each subscriber. Only within the pipeline's turns.
package final class SubscriberTable {
    package struct Watch {
        /// Share of the viewer's link: a device's share, or a group.
        package var link: ShareKey
        /// The share, or a group's members.
        package var feeds: [ShareKey]
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

    private var watches: [SubscriberID: Watch] = [:]

    subscript(subscriber: SubscriberID) -> Watch? {
        get { watches[subscriber] }
        set { watches[subscriber] = newValue }
    }

    package var count: Int { watches.count }

    /// Viewers of just this share; without those of groups.
    package func watching(_ key: ShareKey) -> [SubscriberID] {
        watches.filter { $0.value.feeds == [key] }.map(\.key)
    }

    package func watching(playback number: UInt64) -> [SubscriberID] {
        watches.filter { $0.value.playback == number }.map(\.key)
    }

    /// Viewers that connected by a link, whatever they watch now.
    func comers(by link: ShareKey) -> [SubscriberID] {
        watches.filter { $0.value.link == link }.map(\.key)
    }

    /// Viewers that see the share as one runner of a group.
    func groupViewers(of member: ShareKey) -> [SubscriberID] {
        watches.filter { $0.value.link != member && $0.value.feeds.contains(member) }.map(\.key)
    }

    package func remove(_ subscriber: SubscriberID) -> Watch? {
        watches.removeValue(forKey: subscriber)
    }
}
