import SensorModel
import Sharing

/// One subscriber: its feeds, its pending messages, and its socket. Loop only.
final class Viewer {
    enum Form: Hashable, Sendable {
        case webSocket
        case eventStream
    }

    // Fields that a broadcast uses come first: one or two cache lines per viewer.
    /// The round of the last write, so that changes of several shares need one write.
    var round: UInt64 = 0
    var queue: DeliveryState
    let sink: ViewerSink
    /// One array shared by all viewers of a single share, like the next field.
    var feeds: [ShareFeed] = []
    var watches: [FeedViewers] = []
    /// The sum of its feeds' ``FeedViewers/updates`` at the last write.
    var seenUpdates = 0
    let form: Form
    /// Whether it is in the table of due times.
    var isDue = false
    /// Whether requested history was written, and the next part may follow once it is sent.
    var isCatchingUp = false

    let id: SubscriberID
    let key: ShareKey
    let rateHertz: Float
    let gate: any ViewerGate
    /// Ends the connection in its own protocol.
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
        queue = DeliveryState(rateHz: Double(rateHertz))
    }
}

/// A feed and its viewers on this loop.
final class FeedViewers {
    let feed: ShareFeed
    var viewerList = ViewerList()
    /// Updates applied since the object was made.
    var updates = 0
    /// The value of ``Viewer/feeds`` that all viewers of this share alone use.
    let feeds: [ShareFeed]
    /// This object alone; emptied when the last viewer leaves, or the cycle would keep it alive.
    private(set) var watches: [FeedViewers] = []

    init(_ feed: ShareFeed) {
        self.feed = feed
        feeds = [feed]
        watches = [self]
    }

    func end() {
        watches = []
    }
}
