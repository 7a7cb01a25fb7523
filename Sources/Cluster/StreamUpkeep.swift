/// Decides which messages the stream need not keep; pure.
///
/// The stream itself removes none by age: without a leader it keeps its end, by which nodes see whether
/// they have everything.
struct StreamUpkeep {
    /// The stream holds erased records no longer than this for a node that does not apply them, ms.
    static let erasedMilliseconds = 600_000
    /// Time between two marks of the past, ms.
    private static let markMilliseconds = 60_000
    /// A node that has not reported for this long does not hold up a removal for its copy, ms.
    private static let reportMilliseconds = 10_000

    private let keptMilliseconds: Int
    /// Messages below the sequence may hold what was erased since the time; `nil`: none do.
    private var erased: (sequence: UInt64, since: Int)?
    /// Sequences of the past, and when the stream had them: monotonic ms, ascending.
    private var past: [(time: Int, sequence: UInt64)] = []

    /// - Parameters:
    ///   - term: The leader's. An earlier leader may have ended before it removed what it erased.
    ///   - keptMilliseconds: How long messages are kept, as long as a node leads.
    ///   - now: Monotonic time, ms.
    init(term: UInt64, keptMilliseconds: Int, at now: Int) {
        self.keptMilliseconds = keptMilliseconds
        erased = (term, now)
    }

    /// Notes that something was erased.
    ///
    /// - Parameters:
    ///   - sequence: The stream's last.
    ///   - now: Monotonic time, ms.
    mutating func noteErasure(at sequence: UInt64, now: Int) {
        erased = (sequence + 1, erased?.since ?? now)
    }

    /// - Parameters:
    ///   - sequence: The stream's last.
    ///   - nodes: The nodes that have reported.
    ///   - copyBegin: A sequence before the begin of the newest copy, if it runs.
    ///   - now: Monotonic time, ms.
    /// - Returns: Messages below it may go; `nil`: all stay.
    mutating func end(
        at sequence: UInt64, _ nodes: [LeaderService.Reported], copyBegin: UInt64?, now: Int
    ) -> UInt64? {
        if now - (past.last?.time ?? .min / 2) >= Self.markMilliseconds {
            past.append((now, sequence))
        }
        let old = past.prefix { now - $0.time > keptMilliseconds }.last?.sequence ?? 0
        var end = old
        if let erased, sequence >= erased.sequence {
            let isApplied = nodes.allSatisfy {
                $0.report.phase == .following && $0.report.sequence >= erased.sequence
            }
            if isApplied || now - erased.since > Self.erasedMilliseconds {
                end = max(end, erased.sequence)
            }
        }
        if let copyBegin { end = min(end, copyBegin) }
        return end > 0 ? end : nil
    }

    /// Notes that messages below `end` are gone.
    mutating func removed(below end: UInt64) {
        if let erased, erased.sequence <= end { self.erased = nil }
        past.removeAll { $0.sequence <= end }
    }

    /// - Returns: Whether a node works with a copy, which needs the messages since its begin.
    static func isCopying(_ nodes: [LeaderService.Reported], now: Int) -> Bool {
        nodes.contains { $0.report.phase == .copying && now - $0.time < reportMilliseconds }
    }
}
