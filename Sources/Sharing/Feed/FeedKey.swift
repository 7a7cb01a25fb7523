public import SensorModel

/// What a feed is of: a share's live sessions, or a recording that is played to viewers of it.
public struct FeedKey: Hashable, Sendable {
    public let share: ShareKey
    /// Numbers playbacks for as long as the daemon runs; 0: live.
    public let playback: UInt64

    public init(_ share: ShareKey, playback: UInt64 = 0) {
        self.share = share
        self.playback = playback
    }

    public var isLive: Bool { playback == 0 }
}
