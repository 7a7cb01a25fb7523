import Ingest
package import SensorModel

/// Places of readers of ``HeartRateHub``, limited per party and in total.
package struct ReaderPlaces: Sendable {
    /// Places in total; a room of 50 runners takes 50.
    package static let placesMax = 3000
    /// Places of one party, so that it never takes all.
    static let placesPerPartyMax = 750

    private var taken: [LinkParty: Int] = [:]
    private var all = 0
    /// Arrivals: all places at once, then 25 a second. Each arrival asks the pipeline, so a few
    /// sockets that join and leave without end would occupy it.
    private var coming = KeyedPace<LinkParty>(burst: Double(placesPerPartyMax), perSecond: 25)

    /// - Returns: Whether so many places are free.
    package func hasRoom(_ count: Int, for party: LinkParty) -> Bool {
        taken[party, default: 0] + count <= Self.placesPerPartyMax && all + count <= Self.placesMax
    }

    /// Takes places for readers that arrive.
    ///
    /// - Parameters:
    ///   - count: Number of readers; a room has several.
    ///   - party: Party of their link.
    ///   - now: Arrival clock.
    /// - Returns: `false`: too many readers or arrivals; no place is taken.
    package mutating func enter(_ count: Int, by party: LinkParty, at now: Timestamp) -> Bool {
        guard hasRoom(count, for: party), coming.hasRoom(party, for: Double(count), at: now)
        else { return false }
        coming.take(Double(count), by: party, at: now)
        taken[party, default: 0] += count
        all += count
        return true
    }

    package mutating func leave(_ count: Int, by party: LinkParty) {
        let left = taken[party, default: 0] - count
        precondition(left >= 0, "more places were given back than taken")
        taken[party] = left > 0 ? left : nil
        all -= count
    }
}
