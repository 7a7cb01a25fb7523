import Ingest
import SensorModel

/// Limits playback commands and starts: per device (all its links), per viewer, and in total.
///
/// A playback at the end of a recording is over at once, so each command may begin another one.
/// Each start reads the log and moves its viewer to another feed.
struct PlaybackPace {
    private var commands = KeyedPace<LinkParty>(burst: 1000, perSecond: 1000)
    private var beginnings = KeyedPace<LinkParty>(burst: 100, perSecond: 20)
    private var ofViewers = KeyedPace<SubscriberID>(burst: 10, perSecond: 1)
    /// Starts of all parties; one party has at most a fifth of them.
    private var ofAll = KeyedPace<Int>(burst: 500, perSecond: 100)

    /// - Returns: Whether a message of a viewer is admitted; if so, it counts.
    mutating func admitsCommand(by party: LinkParty, at now: Timestamp) -> Bool {
        guard commands.hasRoom(party, for: 1, at: now) else { return false }
        commands.take(1, by: party, at: now)
        return true
    }

    /// - Returns: Whether a viewer may begin a playback; if so, it counts.
    mutating func mayBegin(
        _ viewer: SubscriberID, by party: LinkParty, at now: Timestamp
    ) -> Bool {
        guard beginnings.hasRoom(party, for: 1, at: now), ofAll.hasRoom(0, for: 1, at: now),
            ofViewers.hasRoom(viewer, for: 1, at: now)
        else { return false }
        beginnings.take(1, by: party, at: now)
        ofAll.take(1, by: 0, at: now)
        ofViewers.take(1, by: viewer, at: now)
        return true
    }
}
