public import SensorModel

/// The source of a feed: a share's live sessions, or a recording in playback on it.
public struct FeedKey: Hashable, Sendable {
    public let share: ShareKey
    /// Number of the playback in this run of the daemon; 0: live.
    public let playback: UInt64

    public init(_ share: ShareKey, playback: UInt64 = 0) {
        self.share = share
        self.playback = playback
    }

    public var isLive: Bool { playback == 0 }
}
