/// A segment that retention has removed from the log and whose file may still exist.
struct OverdueSegment: Hashable, Sendable {
    let bytes: Int
    let records: Int
    /// Arrival of its oldest record, if it has records.
    let arrivalFirst: Int64
    /// Whether nothing is left of it but its name.
    var isEmptied = false

    init(_ entry: SegmentEntry) {
        bytes = entry.bytes
        records = Int(entry.index.records)
        arrivalFirst = entry.index.arrivalFirst
    }
}
