import SegmentLog
public import SensorModel

/// Compares recorded events with those computed now by another profile or algorithm.
///
/// Either side may have extra events. After a restart the log also holds events after later frames.
/// So events are paired by device time and sort, not by position.
struct EventPairing {
    private struct Key: Hashable {
        let deviceTime: Timestamp
        let sort: Int
        /// Position from 0 among events of one time and sort.
        let ordinal: Int
    }

    private var recorded: [(offset: RecordOffset, event: StreamEvent)] = []
    private var computed: [StreamEvent] = []

    mutating func add(recorded event: StreamEvent, at offset: RecordOffset) {
        recorded.append((offset, event))
    }

    mutating func add(computed events: [StreamEvent]) {
        computed += events
    }

    var recordedCount: Int { recorded.count }

    /// - Returns: The missing, new and changed events, by device time.
    func differences() -> [ReplayVerification.Difference] {
        let computedKeys = Self.keys(of: computed)
        var rest = Dictionary(uniqueKeysWithValues: zip(computedKeys, computed))
        var found: [ReplayVerification.Difference] = []
        for ((offset, event), key) in zip(recorded, Self.keys(of: recorded.map(\.event))) {
            let partner = rest.removeValue(forKey: key)
            guard partner != event else { continue }
            found.append(
                ReplayVerification.Difference(offset: offset, computed: partner, recorded: event))
        }
        for (key, event) in zip(computedKeys, computed) where rest[key] != nil {
            found.append(
                ReplayVerification.Difference(offset: nil, computed: event, recorded: nil))
        }
        return found.sorted { $0.deviceTime < $1.deviceTime }
    }

    private static func keys(of events: [StreamEvent]) -> [Key] {
        var counts: [Key: Int] = [:]
        return events.map { event in
            let plain = Key(deviceTime: event.deviceTime, sort: event.kind.sort, ordinal: 0)
            let ordinal = counts[plain, default: 0]
            counts[plain] = ordinal + 1
            return Key(deviceTime: plain.deviceTime, sort: plain.sort, ordinal: ordinal)
        }
    }
}

extension ReplayVerification.Difference {
    /// Device time of either event.
    public var deviceTime: Timestamp {
        (recorded ?? computed)?.deviceTime ?? Timestamp(microseconds: 0)
    }
}

extension StreamEvent.Kind {
    /// A number for each kind of event. Events of one sort can be the same event with other values.
    fileprivate var sort: Int {
        switch self {
        case .metrics: 0
        case .marker: 1
        case .paused: 2
        case .resumed: 3
        case .split: 4
        case .zoneChanged: 5
        case .lap: 6
        case .alert: 7
        case .gap: 8
        case .correction: 9
        case .sourceChanged: 10
        case .ended: 11
        case .intervalStarted: 12
        case .intervalEnding: 13
        case .intervalEnded: 14
        case .checkpointReached: 15
        }
    }
}
