/// The log's knowledge of its file `catalog`. Guarded by its own lock.
struct CatalogState: Sendable {
    /// Position of the next entry; `nil`: the file must be written anew.
    var end: Int?
    /// Position of each segment's entry.
    var places: [UInt64: Range<Int>] = [:]
    /// Position of each voided entry, by segment: it may name the sessions that were not erased.
    var voided: [UInt64: Range<Int>] = [:]
    /// Positions of entries that nobody needs any more and that may name sessions: those of removed
    /// segments, and outdated ones. They become blank with the next change of the file.
    var stale: [Range<Int>] = []
    /// Segments that must be synced before they are listed.
    var uncertain: Set<UInt64> = []
    /// Number of voided, stale and blank entries.
    var obsolete = 0

    /// Whether more than half of the entries are outdated, and not just a few.
    var isWorn: Bool { obsolete > places.count + 1000 }

    /// Notes that nobody needs the entries of a segment any more.
    mutating func drop(_ number: UInt64) {
        if let place = places.removeValue(forKey: number) {
            stale.append(place)
            obsolete += 1
        }
        if let place = voided.removeValue(forKey: number) { stale.append(place) }
    }
}
