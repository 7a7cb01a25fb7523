/// The log's knowledge of its file `catalog`. Guarded by the lock `upkeep` once the log is shared.
struct CatalogState: Sendable {
    /// Position of the next entry; `nil`: the file must be written anew.
    var end: Int?
    /// Position of each segment's entry.
    var places: [UInt64: Range<Int>] = [:]
    /// Position of each entry that this run has voided, by segment.
    var voided: [UInt64: Range<Int>] = [:]
    /// Segments that must be synced before they are listed.
    var uncertain: Set<UInt64> = []
    /// Number of outdated entries.
    var obsolete = 0

    /// Whether more than half of the entries are outdated, and not just a few.
    var isWorn: Bool { obsolete > places.count + 1000 }
}
