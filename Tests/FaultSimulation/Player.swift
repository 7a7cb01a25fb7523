import Replay
import SensorModel
import Sharing

/// A recording that is played to one viewer or to a whole share; the daemon's run without tasks.
struct Player {
    enum Audience: Hashable {
        case viewer(Life.Viewer)
        case share(ShareKey)
    }

    let number: UInt64
    let share: Share
    let audience: Audience
    /// The session that the owner plays; `nil`: the one that the share shows.
    let session: SessionID?
    /// Device time.
    var position: Timestamp
    var speed: Double
    var isPaused = false
    /// Whether the playback must start, or restart with the current settings.
    var isToStart = true
    var source: RecordingSource?
    var ahead: ArraySlice<RecordingSource.Timed> = []
    /// Device time and steady clock of the start.
    var origin: (position: Timestamp, steady: Int64)?

    var key: FeedKey { FeedKey(share.key, playback: number) }
}
