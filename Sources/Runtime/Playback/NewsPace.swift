import Ingest
import SensorModel

/// Limits messages to readers of ``HeartRateHub``; each reading goes to every reader.
struct NewsPace {
    /// Seconds after which news that came too fast are tried again.
    static let lateSeconds = 0.25

    /// Messages (readings times readers) of one party. 750 readers get one a second, which is
    /// faster than a heart rate changes. One reader gets the readings of a minute at once, as of a
    /// phone that was offline.
    private var ofParties = KeyedPace<LinkParty>(burst: 1500, perSecond: 750)
    /// Messages of all parties; with all places taken, each reader gets one in 0.75 s.
    private var ofAll = KeyedPace<Int>(burst: 4000, perSecond: 4000)

    /// - Returns: Whether that many readers may get a message of a share now; if so, they count.
    mutating func mayTell(_ party: LinkParty, _ readers: Int, at now: Timestamp) -> Bool {
        let count = Double(readers)
        guard ofParties.hasRoom(party, for: count, at: now),
            ofAll.hasRoom(0, for: count, at: now)
        else { return false }
        ofParties.take(count, by: party, at: now)
        ofAll.take(count, by: 0, at: now)
        return true
    }
}
