import SensorModel

/// Decides whether records arrive so fast that the pipeline should gather several between turns.
///
/// Waking a thread costs more than processing a frame: with one wake-up per frame, half of the
/// processor's time is spent on waking.
struct FramePace {
    /// Time for which records are gathered, and by which values are delayed. Nobody notices: only
    /// many devices, or a backlog, reach this rate.
    static let gatherMicroseconds: UInt32 = 1000
    /// Time over which the rate is measured; long enough that one more device does not change the
    /// result.
    private static let stretchMicroseconds: Int64 = 2000
    /// Records per stretch from which the pipeline gathers.
    private static let recordsMin: Int64 = 8

    private var stretchStart = Timestamp(microseconds: 0)
    private var records: Int64 = 0
    private var isGathering = false

    /// - Parameters:
    ///   - records: Records of one turn.
    ///   - now: Arrival clock.
    /// - Returns: Whether to gather before the next turn.
    mutating func took(_ records: Int, at now: Timestamp) -> Bool {
        self.records += Int64(records)
        let passed = now.microseconds - stretchStart.microseconds
        // A clock that was set back also begins a new stretch.
        guard passed < 0 || passed >= Self.stretchMicroseconds else { return isGathering }
        isGathering =
            self.records * Self.stretchMicroseconds >= Self.recordsMin * max(passed, 1)
        stretchStart = now
        self.records = 0
        return isGathering
    }
}
