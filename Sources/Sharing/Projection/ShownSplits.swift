import SensorModel

/// Full kilometers and miles of the shown path. The session's own splits would reveal the length of
/// the hidden path.
struct ShownSplits: Sendable {
    fileprivate struct Track: Sendable {
        let unit: Split.Unit
        let meters: Double
        var number = 0
        /// Moving seconds at the last mark.
        var start = 0.0
        var climb = 0.0
        var beats = 0.0
        var heartRateSeconds = 0.0
    }

    /// A race of a hundred miles has fewer.
    private static let keptMax = 256
    /// Marks that one update completes.
    private static let leapMarksMax = 50

    private var tracks = [
        Track(unit: .kilometer, meters: 1000), Track(unit: .mile, meters: 1609.344),
    ]
    private var newest = SessionTotals()
    /// Completed splits, oldest first.
    private(set) var completed: [Split] = []

    /// - Parameter metrics: The shown metrics, without hidden stretches.
    /// - Returns: Splits completed since the last call.
    mutating func update(_ metrics: Metrics) -> [Split] {
        let totals = SessionTotals(metrics)
        let before = newest
        newest = totals
        let passed = totals.distanceMeters - before.distanceMeters
        guard passed > 0 else { return [] }
        var news: [Split] = []
        for index in tracks.indices {
            let meters = tracks[index].meters
            // As `Splits` of a leap.
            let first = Int(min(totals.distanceMeters / meters, 1e9)) - Self.leapMarksMax
            tracks[index].number = max(tracks[index].number, first)
            while totals.distanceMeters >= Double(tracks[index].number + 1) * meters {
                let mark = Double(tracks[index].number + 1) * meters
                let share = min(max((mark - before.distanceMeters) / passed, 0), 1)
                let moving =
                    before.movingSeconds + (totals.movingSeconds - before.movingSeconds) * share
                news.append(
                    tracks[index].complete(
                        moving: moving, totals: totals,
                        hasClimb: metrics.elevationGainMeters != nil))
            }
        }
        completed += news
        if completed.count > Self.keptMax { completed.removeFirst(completed.count - Self.keptMax) }
        return news
    }
}

extension ShownSplits.Track {
    fileprivate mutating func complete(
        moving: Double, totals: SessionTotals, hasClimb: Bool
    ) -> Split {
        number += 1
        let seconds = totals.heartRateSeconds - heartRateSeconds
        let climb = totals.elevationGainMeters - totals.elevationLossMeters
        let split = Split(
            unit: unit, number: number, seconds: max(0, moving - start),
            averageHeartRate: seconds >= 1 ? (totals.beats - beats) / seconds : nil,
            elevationMeters: hasClimb ? climb - self.climb : nil)
        start = moving
        self.climb = climb
        beats = totals.beats
        heartRateSeconds = totals.heartRateSeconds
        return split
    }
}
