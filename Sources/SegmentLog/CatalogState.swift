/// The positions of entries in the file `catalog`, guarded by a lock of their own.
struct CatalogState: Sendable {
    /// Position of the next entry; `nil`: the file must be written anew.
    var end: Int?
    /// Position of each segment's entry.
    var places: [UInt64: Range<Int>] = [:]
    /// Position of each voided entry, by segment. It may name sessions that were not erased.
    var voided: [UInt64: Range<Int>] = [:]
    /// Positions of entries that are not needed any more but may name sessions: entries of removed
    /// segments, and outdated ones. They become blank with the next change of the file.
    var stale: [Range<Int>] = []
    /// Segments that must be synced before they are listed.
    var uncertain: Set<UInt64> = []
    /// Number of voided, stale and blank entries.
    var obsolete = 0

    /// Whether obsolete entries outnumber the current ones by more than 1000.
    var isWorn: Bool { obsolete > places.count + 1000 }

    /// Notes that the entries of a segment are not needed any more.
    mutating func drop(_ number: UInt64) {
        if let place = places.removeValue(forKey: number) {
            stale.append(place)
            obsolete += 1
        }
        if let place = voided.removeValue(forKey: number) { stale.append(place) }
    }
}
