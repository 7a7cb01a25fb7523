import Recordings
import Synchronization

/// Unusable items of push requests, counted by reason.
package final class PushCounters: Sendable {
    private let counts = Mutex([String: Int]())

    var refused: [String: Int] { counts.withLock { $0 } }

    func refused(_ reason: String, count: Int = 1) {
        let label = Self.label(reason)
        counts.withLock { $0[label, default: 0] += count }
    }

    func refused(_ refusals: RefusalCounts) {
        for (reason, count) in refusals.counts { refused(reason, count: count) }
    }

    /// Label of the metric: the mapper's sentence up to the text that the sender wrote.
    private static func label(_ reason: String) -> String {
        let head = reason.prefix { $0 != ":" && $0 != ";" }
        let words = head.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        return words.prefix(6).joined(separator: "_")
    }
}
