import SensorModel
import Transport

/// Which feeds each subscriber is a member of. Pipeline thread only.
final class Watchers {
    struct Watch {
        /// The share, or a group's members.
        var feeds: [ShareKey]
        /// Missed events that wait for the socket, in order; `nil`: none are owed.
        var missed: ArraySlice<EncodedEvent>?
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

    func remove(_ subscriber: SubscriberID) -> Watch? {
        watches.removeValue(forKey: subscriber)
    }
}
