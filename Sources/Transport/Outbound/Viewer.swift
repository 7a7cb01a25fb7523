import SensorModel
import Sharing

/// One subscriber: what it watches, what it is owed, and where that is written. Loop only.
final class Viewer {
    enum Form: Hashable, Sendable {
        case webSocket
        case eventStream
    }

    let id: SubscriberID
    let key: ShareKey
    let form: Form
    let sink: ViewerSink
    let gate: any ViewerGate
    /// Ends the connection in its own words.
    let end: (CloseCode) -> Void
    let rateHertz: Float
    var queue: SubscriberQueue
    /// One array for all viewers of a single share.
    var feeds: [ShareFeed] = []
    var watches: [FeedWatch] = []
    /// Updates of its feeds when it was last written to.
    var seenUpdates = 0
    /// The drain it was last written in, so that several shares' changes are one write.
    var stamp: UInt64 = 0
    /// Whether it waits in the table of due times.
    var isDue = false
    /// Events were written that it asked for; it may have more of them once these are out.
    var isCatchingUp = false

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
    let alone: [ShareFeed]
    var viewers: [Viewer] = []
    /// Updates applied since it began.
    var updates = 0

    init(_ feed: ShareFeed) {
        self.feed = feed
        alone = [feed]
    }
}
