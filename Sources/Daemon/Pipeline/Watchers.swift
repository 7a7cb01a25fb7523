import SensorModel
import Sessions
import Transport

/// Which feeds each subscriber is a member of. In the pipeline's turns only.
final class Watchers {
    struct Watch {
        /// What its link is of: a device's share, or a group.
        var link: ShareKey
        /// The share, or a group's members.
        var feeds: [ShareKey]
        /// Where it sits on the board; nowhere while it watches a recording.
        var seats: [ShareBoard.Seat] = []
        var playbackSeats: [PlaybackBoard.Seat] = []
        /// Of the recording that it watches.
        var playback: UInt64?
        /// Tells the catch-up under way from one that was given up.
        var catchUpNumber: UInt64 = 0
        /// What it missed, as far as it is not told yet; `nil`: nothing is owed, or it is being read.
        var catchUp: CatchUp?
        /// Reads that, or looks its cursor up; cancelled when nobody waits for it any more.
        var reading: Task<Void, Never>?
    }

    private var watches: [SubscriberID: Watch] = [:]

    subscript(subscriber: SubscriberID) -> Watch? {
        get { watches[subscriber] }
        set { watches[subscriber] = newValue }
    }

    var count: Int { watches.count }

    /// Who watches just this share; a group's viewers do not.
    func watching(_ key: ShareKey) -> [SubscriberID] {
        watches.filter { $0.value.feeds == [key] }.map(\.key)
    }

    func watching(playback number: UInt64) -> [SubscriberID] {
        watches.filter { $0.value.playback == number }.map(\.key)
    }

    /// Who came by that link, whatever they look at now.
    func comers(by link: ShareKey) -> [SubscriberID] {
        watches.filter { $0.value.link == link }.map(\.key)
    }

    /// Who sees the share as one runner of a group.
    func groupViewers(of member: ShareKey) -> [SubscriberID] {
        watches.filter { $0.value.link != member && $0.value.feeds.contains(member) }.map(\.key)
    }

    func remove(_ subscriber: SubscriberID) -> Watch? {
        watches.removeValue(forKey: subscriber)
    }
}
