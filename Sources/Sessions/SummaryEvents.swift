public import SensorModel

/// Splits, laps and corrections so far, as every snapshot record contains them.
///
/// Bounded, whatever a device sends: a lap is one press of a button, and all of them are written
/// again every minute. Each is also an event of its own in the log.
public struct SummaryEvents: Sendable {
    /// The newest are kept; a run of a hundred kilometers with a lap each has fewer.
    public static let lapsMax = 256
    public static let splitsMax = 1024

    public private(set) var events: [StreamEvent] = []
    private var laps = 0

    public init() {}

    /// Adds an event, in the order of the log; most kinds of events are ignored.
    public mutating func take(_ event: StreamEvent) {
        switch event.kind {
        case .lap:
            events.append(event)
            laps += 1
            if laps > Self.lapsMax {
                laps -= 1
                removeFirst(isLap: true)
            }
        case .split, .correction(.split):
            events.append(event)
            if events.count - laps > Self.splitsMax { removeFirst(isLap: false) }
        default: break
        }
    }

    private mutating func removeFirst(isLap: Bool) {
        let first = events.firstIndex { event in
            if case .lap = event.kind { isLap } else { !isLap }
        }
        if let first { events.remove(at: first) }
    }
}
