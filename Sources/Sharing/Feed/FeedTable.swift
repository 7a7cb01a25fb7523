public import SensorModel

/// The feeds of one loop, and the one count of changes they share. Belongs to that loop.
public final class FeedTable {
    private var feeds: [ShareKey: ShareFeed] = [:]
    /// One count for all feeds, so that a viewer of fifty runners is still a single number.
    private var revision: UInt64 = 0

    public init() {}

    public subscript(share: ShareKey) -> ShareFeed? { feeds[share] }

    /// Opens a share's feed, or begins it anew.
    ///
    /// - Parameters:
    ///   - share: The share, or one member of a group.
    ///   - runnerName: What a group's viewers read before its values.
    ///   - snapshot: From the share's view; updates after its cursor must follow.
    /// - Returns: The feed, for the subscriber that is waiting for it.
    @discardableResult
    public func open(
        _ share: ShareKey, runnerName: String, snapshot: FeedSnapshot
    ) -> ShareFeed {
        revision += 1
        let feed = ShareFeed(
            share: share, runnerName: runnerName, snapshot: snapshot, revision: revision)
        feeds[share] = feed
        return feed
    }

    /// - Returns: The feed that changed, whose subscribers are to be flushed once the whole batch
    ///   is applied; `nil` when nobody here watches the share (any more).
    @discardableResult
    public func apply(_ update: FeedUpdate, to share: ShareKey) -> ShareFeed? {
        guard let feed = feeds[share] else { return nil }
        revision += 1
        feed.apply(update, revision: revision)
        return feed
    }

    public func close(_ share: ShareKey) {
        feeds[share] = nil
    }
}
