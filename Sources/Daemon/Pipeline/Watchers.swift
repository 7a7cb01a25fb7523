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
        /// Missed events that wait for the socket, in order; `nil`: none are owed.
        var missed: ArraySlice<EncodedEvent>?
        /// Where it sits on the board; nowhere while it watches the recording.
        var seats: [ShareBoard.Seat] = []
        /// Out of its feeds, watching the recording.
        var isAway = false
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
