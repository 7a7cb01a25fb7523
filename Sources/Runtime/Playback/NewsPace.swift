import Ingest
import SensorModel

/// Limits what readers of ``HeartRateHub`` are told: each reading goes to each of them.
struct NewsPace {
    /// After that what came too fast is told, if it may be by then.
    static let lateSeconds = 0.25

    /// Readings times readers of a device: 750 readers get one a second, more than any heart changes; one
    /// reader gets the readings of a minute at once, as of a phone that was offline.
    private var ofParties = KeyedPace<LinkParty>(burst: 1500, perSecond: 750)
    /// The same of all: with all places taken each gets one in three quarters of a second.
    private var ofAll = KeyedPace<Int>(burst: 4000, perSecond: 4000)

    /// - Returns: Whether so many readers may be told of a share now; they count then.
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
