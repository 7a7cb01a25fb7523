import SensorModel

/// Events that follow from a session's inputs, while the log is read that should have them.
///
/// They were written in the order in which they follow. So the log's events are the first of them,
/// and the rest is missing. Memory is bounded: the first of the rest are kept, the others counted.
struct ExpectedEvents: Sendable {
    /// Published within a millisecond.
    static let keptMax = 256

    private(set) var kept: ArraySlice<StreamEvent> = []
    /// Number of events after those that are kept.
    private(set) var others = 0
    /// Events of the log that did not follow from an input so far.
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
