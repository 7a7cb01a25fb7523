public import SensorModel

/// The feeds of one loop, and their common revision. Belongs to that loop.
public final class FeedTable {
    private var feeds: [FeedKey: ShareFeed] = [:]
    /// One revision for all feeds, so that a viewer of fifty runners needs a single number.
    private var revision: UInt64 = 0

    private var budget: EventBudget
    private let subscriberBytesMax: Int

    /// Bytes of events kept for slow viewers, in the feeds of all loops together.
    public static let eventBytesMax = 20 << 20

    /// - Parameters:
    ///   - subscriberBytesMax: Bytes of events that one feed keeps for slow viewers.
    ///   - eventBytesMax: Bytes of events kept for slow viewers, in all feeds together.
    public init(
        subscriberBytesMax: Int = Limits.subscriberBytesMax,
        eventBytesMax: Int = FeedTable.eventBytesMax
    ) {
        self.subscriberBytesMax = subscriberBytesMax
        budget = EventBudget(bytesMax: eventBytesMax)
    }

    /// Bytes of events that are kept now.
    var eventBytes: Int { budget.bytes }

    public subscript(key: FeedKey) -> ShareFeed? { feeds[key] }

    /// Opens a share's feed, or restarts it.
    ///
    /// - Parameters:
    ///   - key: Key of the share, or of one member of a group.
    ///   - runnerName: Name that stands before the runner's values in a group.
    ///   - snapshot: Snapshot of the share's view; updates after its cursor must follow.
    /// - Returns: The feed, for the subscriber that waits for it.
    @discardableResult
    public func open(
        _ key: FeedKey, runnerName: String, snapshot: FeedSnapshot
    ) -> ShareFeed {
        close(key)
        revision += 1
        let feed = ShareFeed(
            key: key, runnerName: runnerName, snapshot: snapshot, revision: revision)
        feeds[key] = feed
        return feed
    }

    /// - Returns: The changed feed, whose subscribers are flushed after the whole batch; `nil` if
    ///   it has no viewers here.
    @discardableResult
    public func apply(_ update: FeedUpdate, to key: FeedKey) -> ShareFeed? {
        guard let feed = feeds[key] else { return nil }
        revision += 1
        feed.apply(update, revision: revision, eventBytesMax: subscriberBytesMax)
        budget.recount(feed)
        return feed
    }

    public func close(_ key: FeedKey) {
        guard let feed = feeds.removeValue(forKey: key) else { return }
        budget.remove(feed)
    }
}
