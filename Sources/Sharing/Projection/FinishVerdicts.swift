import Bytes
import SensorModel

/// The decisions of a trimmed finish on the events whose wait is over.
///
/// A decision needs the positions of the next 52 minutes or less, and never changes. So one pass
/// over the session stores the decisions. A later reading of any part looks them up and need not
/// hold events back again.
package struct FinishVerdicts: Sendable {
    struct Verdict: Hashable, Sendable {
        /// Whether the runner did not leave the event's place in time.
        let isNear: Bool
        /// Time of a release before the end of the wait. Arrival clock.
        let releasedEarly: Timestamp?
        /// Seconds after the wait at which time alone released the event; 0: a record did.
        var lagSeconds = 0.0
    }

    /// Consecutive events with the same verdict, up to the next stretch.
    private struct Stretch: Sendable {
        let first: RecordOffset
        let verdict: Verdict
    }

    /// Maximum number of stretches, 40 KiB. The verdict changes a few times in a run; events beyond
    /// the limit are decided again.
    private static let countMax = 1024

    private var stretches: [Stretch] = []
    /// The newest decided event.
    private(set) var through: RecordOffset?
    private var isFull = false

    /// Bytes of memory.
    var bytes: Int { stretches.capacity * MemoryLayout<Stretch>.stride }

    /// Adds a verdict. Events come in log order; an event that is already decided changes nothing.
    mutating func append(_ verdict: Verdict, at offset: RecordOffset) {
        guard !isFull, through.map({ $0 < offset }) ?? true else { return }
        if stretches.last?.verdict != verdict {
            isFull = stretches.count == Self.countMax
            guard !isFull else { return }
            stretches.append(Stretch(first: offset, verdict: verdict))
        }
        through = offset
    }

    /// - Returns: The verdict; `nil` if it is not decided yet.
    func verdict(at offset: RecordOffset) -> Verdict? {
        guard let through, offset <= through else { return nil }
        let next = stretches.partitioningIndex { $0.first > offset }
        return next > 0 ? stretches[next - 1].verdict : nil
    }
}
