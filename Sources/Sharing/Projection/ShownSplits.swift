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

    /// More splits than a race of a hundred miles has.
    private static let keptMax = 256

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
            func moving(at mark: Int) -> Double {
                let share = (Double(mark) * meters - before.distanceMeters) / passed
                return before.movingSeconds
                    + (totals.movingSeconds - before.movingSeconds) * min(max(share, 0), 1)
            }
            // After a jump in distance only the newest splits are completed.
            let first = Int(min(totals.distanceMeters / meters, 1e9)) - Split.atOnceMax
            if first > tracks[index].number {
                tracks[index].number = first
                tracks[index].start = moving(at: first)
            }
            while totals.distanceMeters >= Double(tracks[index].number + 1) * meters {
                news.append(
                    tracks[index].complete(
                        moving: moving(at: tracks[index].number + 1), totals: totals,
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
