import NIOCore
import SensorModel
import Sharing
final class ViewerTable {
    init(eventLoop: any EventLoop, counters: TransportCounters) {}
    func flushChanged() {}
    func apply(_ update: FeedUpdate, to share: ShareKey) {}
    func begin(_ s: SubscriberID, feeds: [FeedOpening], start: SubscriptionStart) {}
    func catchUp(_ s: SubscriberID, _ e: [EncodedEvent]) {}
    func caughtUp(_ s: SubscriberID) {}
    func leaveFeeds(_ s: SubscriberID) {}
    func end(_ s: ShareKey, _ code: CloseCode) {}
    func close(_ s: SubscriberID, _ code: CloseCode) {}
}
