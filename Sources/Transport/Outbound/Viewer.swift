import SensorModel
import Sharing

/// One subscriber: what it watches, what it is owed, and where that is written. Loop only.
final class Viewer {
    enum Form: Hashable, Sendable {
        case webSocket
        case eventStream
    }

    // What a broadcast touches comes first: one or two lines of the cache a viewer.
    /// The round it was last written in, so that several shares' changes are one write.
    var round: UInt64 = 0
    var queue: SubscriberQueue
    let sink: ViewerSink
    /// One array for all viewers of a single share, as is the next.
    var feeds: [ShareFeed] = []
    var watches: [FeedWatch] = []
    /// Updates of its feeds when it was last written to.
    var seenUpdates = 0
    let form: Form
    /// Whether it waits in the table of due times.
    var isDue = false
    /// Events were written that it asked for; it may have more of them once these are out.
    var isCatchingUp = false

    let id: SubscriberID
    let key: ShareKey
    let rateHertz: Float
    let gate: any ViewerGate
    /// Ends the connection in its own words.
    let end: (CloseCode) -> Void

    init(
        id: SubscriberID, key: ShareKey, form: Form, sink: ViewerSink, gate: any ViewerGate,
        rateHertz: Float, end: @escaping (CloseCode) -> Void
    ) {
        self.id = id
        self.key = key
        self.form = form
        self.sink = sink
        self.gate = gate
        self.rateHertz = rateHertz
        self.end = end
        queue = SubscriberQueue(rateHz: Double(rateHertz))
    }
}

/// A feed and who watches it on this loop.
final class FeedWatch {
    let feed: ShareFeed
    var viewerList = ViewerList()
    /// Updates applied since it began.
    var updates = 0
    /// For the viewers of this share alone.
    let feeds: [ShareFeed]
    /// This one; emptied when the last viewer leaves, or it would keep itself alive.
    private(set) var watches: [FeedWatch] = []

    init(_ feed: ShareFeed) {
        self.feed = feed
        feeds = [feed]
        watches = [self]
    }

    func end() {
        watches = []
    }
}
