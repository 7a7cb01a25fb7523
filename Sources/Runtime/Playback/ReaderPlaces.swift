import Ingest
package import SensorModel

/// Places of readers of ``HeartRateHub``: of all links of a device together, or of a group, and of all.
package struct ReaderPlaces: Sendable {
    /// Over all: a room of 50 runners is 50.
    package static let most = 3000
    /// Of one party, so that it never takes all.
    static let mostOfParty = 750

    private var taken: [LinkParty: Int] = [:]
    private var all = 0
    /// All places at once, then so many a second. Each that comes asks the pipeline, so some sockets that
    /// join and leave without end would hold it.
    private var coming = KeyedPace<LinkParty>(burst: Double(mostOfParty), perSecond: 25)

    /// - Returns: Whether so many places are free.
    package func hasRoom(_ count: Int, for party: LinkParty) -> Bool {
        taken[party, default: 0] + count <= Self.mostOfParty && all + count <= Self.most
    }

    /// Takes places for readers that come.
    ///
    /// - Parameters:
    ///   - count: Readers: a room has several.
    ///   - party: Whose link they have.
    ///   - now: Arrival clock.
    /// - Returns: `false`: too many read, or have come, and none was taken.
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
