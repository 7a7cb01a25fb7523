import SensorModel

/// Compares the events that follow from a session's inputs with the events in the log.
///
/// Events were written in the order in which they follow, so the log has the first of them, and the
/// rest are missing. To bound memory, the first missing ones are kept and the others counted.
struct ExpectedEvents: Sendable {
    /// Maximum number of kept events, which are published within a millisecond.
    static let keptMax = 256

    private(set) var kept: ArraySlice<StreamEvent> = []
    /// Number of events after those that are kept.
    private(set) var others = 0
    /// Number of the log's events that have not followed from an input so far.
    private var surplus = 0

    mutating func append(contentsOf events: [StreamEvent]) {
        for event in events {
            if surplus > 0 {
                surplus -= 1
            } else if others == 0, kept.count < Self.keptMax {
                kept.append(event)
            } else {
                others += 1
            }
        }
    }

    /// Notes an event of the log.
    mutating func noteRecorded() {
        if kept.popFirst() != nil { return }
        if others > 0 { others -= 1 } else { surplus += 1 }
    }
}
