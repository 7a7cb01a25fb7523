public import SensorModel

/// Splits, laps and corrections so far, as every snapshot record contains them.
///
/// The number is bounded, since a lap is one press of a button and all of them are written again
/// every minute. Each is also an event of its own in the log.
public struct SummaryEvents: Sendable {
    /// Laps kept, the newest ones; a run of a hundred kilometers with a lap each has fewer.
    public static let lapsMax = 256
    public static let splitsMax = 1024

    private struct Entry {
        let isLap: Bool
        let byteCount: UInt16
    }

    /// The events as ``SnapshotCodec`` writes them: a tenth of the memory of values.
    private(set) var encoded: [UInt8] = []

    private var entries: [Entry] = []
    private var laps = 0

    public init() {}

    var count: Int { entries.count }

    /// Bytes of memory.
    package var bytes: Int {
        entries.capacity * MemoryLayout<Entry>.stride + encoded.capacity
    }

    /// Adds an event, in the order of the log; most kinds of events are ignored.
    public mutating func take(_ event: StreamEvent) {
        switch event.kind {
        case .lap:
            append(event, isLap: true)
            laps += 1
            if laps > Self.lapsMax {
                laps -= 1
                removeFirst(isLap: true)
            }
        case .split, .correction(.split):
            append(event, isLap: false)
            if entries.count - laps > Self.splitsMax { removeFirst(isLap: false) }
        default: break
        }
    }

    private mutating func append(_ event: StreamEvent, isLap: Bool) {
        let start = encoded.count
        SnapshotCodec.append(event, to: &encoded)
        entries.append(Entry(isLap: isLap, byteCount: UInt16(encoded.count - start)))
    }

    private mutating func removeFirst(isLap: Bool) {
        var start = 0
        for (index, entry) in entries.enumerated() {
            let end = start + Int(entry.byteCount)
            guard entry.isLap == isLap else {
                start = end
                continue
            }
            encoded.removeSubrange(start..<end)
            entries.remove(at: index)
            return
        }
    }
}
