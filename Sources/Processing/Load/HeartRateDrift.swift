public import SensorModel

/// How much faster the heart beats in the newest run than in others at its pace.
///
/// The reference's flag: a rise of more than 8 % at a pace within 30 s a kilometer, over five runs
/// or more. Fatigue, heat and illness show so before a runner notices them.
public struct HeartRateDrift: Hashable, Sendable {
    public struct Run: Hashable, Sendable {
        public var start: Timestamp
        /// Mean of the moving time.
        public var secondsPerKm: Double
        /// Mean of the run.
        public var beatsPerMinute: Double

        public init(start: Timestamp, secondsPerKm: Double, beatsPerMinute: Double) {
            self.start = start
            self.secondsPerKm = secondsPerKm
            self.beatsPerMinute = beatsPerMinute
        }
    }

    /// The newest run's mean over that of the others, less one, percent; below 0: it beats slower.
    public let percent: Double
    /// Runs at that pace, with the newest.
    public let runs: Int

    public var isWarned: Bool { percent > Self.warnedPercent }

    private static let paceSeconds = 30.0
    private static let runsMin = 5
    private static let warnedPercent = 8.0
    /// Older runs say little about today's heart: the time over which fitness is a mean.
    private static let days = TrainingHistory.fitnessDays

    /// Compares the runs of the last 42 days. `nil`: fewer than five are at the newest one's pace.
    ///
    /// - Parameters:
    ///   - all: Runs in any order.
    ///   - now: The time at which the days end.
    public init?(_ all: [Run], at now: Timestamp) {
        let oldest = now.advanced(bySeconds: -Self.days * 86_400)
        let recent = all.filter { $0.start >= oldest }
        guard let newest = recent.max(by: { $0.start < $1.start }) else { return nil }
        let others = recent.filter {
            $0 != newest && abs($0.secondsPerKm - newest.secondsPerKm) <= Self.paceSeconds
        }
        guard others.count + 1 >= Self.runsMin else { return nil }
        let mean = others.reduce(0) { $0 + $1.beatsPerMinute } / Double(others.count)
        guard mean > 0 else { return nil }
        percent = (newest.beatsPerMinute / mean - 1) * 100
        runs = others.count + 1
    }
}
