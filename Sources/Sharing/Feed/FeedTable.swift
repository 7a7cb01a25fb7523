import SensorModel

/// The feeds of one loop, and the one count of changes they share. Belongs to that loop.
public final class FeedTable {
    private var feeds: [FeedKey: ShareFeed] = [:]
    /// One count for all feeds, so that a viewer of fifty runners is still a single number.
    private var revision: UInt64 = 0

    /// Events kept for viewers that do not keep up, of all feeds together.
    public static let eventBytesMax = 32 << 20
    /// However many feeds there are.
    public static let eventBytesMin = 8 << 10

    public init() {}

    public subscript(key: FeedKey) -> ShareFeed? { feeds[key] }

    /// Opens a share's feed, or begins it anew.
    ///
    /// - Parameters:
    ///   - key: Of the share, or one member of a group.
    ///   - runnerName: What a group's viewers read before its values.
    ///   - snapshot: From the share's view; updates after its cursor must follow.
    /// - Returns: The feed, for the subscriber that is waiting for it.
    @discardableResult
    public func open(
        _ key: FeedKey, runnerName: String, snapshot: FeedSnapshot
    ) -> ShareFeed {
        revision += 1
        let feed = ShareFeed(
            key: key, runnerName: runnerName, snapshot: snapshot, revision: revision)
        feeds[key] = feed
        return feed
    }

    /// - Returns: The feed that changed, whose subscribers are to be flushed once the whole batch
    ///   is applied; `nil` when nobody here watches it (any more).
    @discardableResult
    public func apply(_ update: FeedUpdate, to key: FeedKey) -> ShareFeed? {
        guard let feed = feeds[key] else { return nil }
        revision += 1
        let share = Self.eventBytesMax / max(1, feeds.count)
        feed.apply(
            update, revision: revision,
            eventBytesMax: max(Self.eventBytesMin, min(Limits.subscriberBytesMax, share)))
        return feed
    }

    public func close(_ key: FeedKey) {
        feeds[key] = nil
    }
}
