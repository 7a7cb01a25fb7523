import SensorModel

/// Whether records come so fast that it pays to let several gather between two turns.
///
/// To wake a thread costs more than to work off a frame: where one a frame is woken, half of the
/// processor's time is the waking.
struct FramePace {
    /// How long records gather. A value is shown that much later, and only where nobody could
    /// tell: so fast come those of many devices, or a backlog.
    static let gatherMicroseconds: UInt32 = 1000
    /// A device less or more does not change the answer: the rate is taken over so long.
    private static let stretchMicroseconds: Int64 = 2000
    /// From so many records in a stretch on.
    private static let recordsMin: Int64 = 8

    private var stretchStart = Timestamp(microseconds: 0)
    private var records: Int64 = 0
    private var isGathering = false

    /// - Parameters:
    ///   - records: Of one turn.
    ///   - now: Arrival clock.
    /// - Returns: Whether to gather before the next turn.
    mutating func took(_ records: Int, at now: Timestamp) -> Bool {
        self.records += Int64(records)
        let passed = now.microseconds - stretchStart.microseconds
        // A clock that was set back begins a new stretch, too.
        guard passed < 0 || passed >= Self.stretchMicroseconds else { return isGathering }
        isGathering =
            self.records * Self.stretchMicroseconds >= Self.recordsMin * max(passed, 1)
        stretchStart = now
        self.records = 0
        return isGathering
    }
}
