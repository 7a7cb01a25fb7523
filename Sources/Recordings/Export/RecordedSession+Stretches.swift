import SensorModel

extension RecordedSession {
    /// The points between pauses: each stretch is in order of time and not empty.
    ///
    /// A pause too short to hold a point still separates two stretches.
    var stretches: [ArraySlice<SessionPoint>] {
        var result: [ArraySlice<SessionPoint>] = []
        var start: Int?
        var nextPause = 0
        for index in points.indices {
            let point = points[index]
            var parted = false
            while nextPause < pauses.count, pauses[nextPause].start < point.time {
                nextPause += 1
                parted = true
            }
            if let begun = start, parted || point.paused {
                result.append(points[begun..<index])
                start = nil
            }
            if start == nil, !point.paused { start = index }
        }
        if let start { result.append(points[start...]) }
        return result
    }

    /// Meters at the end of a stretch, including those counted in the pause after it. Nobody moves
    /// in a pause, so they belong to the way before it, which was not yet certain.
    func distanceMeters(atEndOf stretch: ArraySlice<SessionPoint>) -> Double? {
        let pause = points[stretch.endIndex...].prefix { $0.paused }
        return pause.last { $0.distanceMeters != nil }?.distanceMeters
            ?? stretch.last?.distanceMeters
    }

    /// The closed laps, and the one that continues to the end; at least one lap.
    ///
    /// A closed lap that ends at most 2 s before the recording is the last one.
    var lapsToEnd: [RecordedLap] {
        let lastEnd = laps.last?.end ?? start
        guard laps.isEmpty || end.seconds(since: lastEnd) > 2 else { return laps }
        return laps + [RecordedLap(start: lastEnd, end: max(end, lastEnd))]
    }

    /// Indexes of the points of each lap in ``lapsToEnd``. Every point belongs to a lap, even
    /// between the end of one lap and the start of the next.
    var lapRanges: [Range<Int>] {
        let laps = lapsToEnd
        var ranges: [Range<Int>] = []
        var lower = 0
        for next in laps.dropFirst() {
            let upper = points[lower...].firstIndex { $0.time >= next.start } ?? points.count
            ranges.append(lower..<upper)
            lower = upper
        }
        ranges.append(lower..<points.count)
        return ranges
    }

    /// Seconds of a lap without its pauses.
    func timerSeconds(of lap: RecordedLap) -> Double {
        if let seconds = lap.timerSeconds { return seconds }
        return timerSeconds(from: lap.start, to: lap.end)
    }

    func timerSeconds(from start: Timestamp, to end: Timestamp) -> Double {
        var seconds = end.seconds(since: start)
        for pause in pauses {
            let overlap = min(pause.end, end).seconds(since: max(pause.start, start))
            seconds -= max(overlap, 0)
        }
        return max(seconds, 0)
    }

    /// The laps of ``lapsToEnd`` with their points and sums, computed in one pass over all points.
    var lapParts: [LapPart] {
        var before = 0.0
        return zip(lapsToEnd, lapRanges).map { lap, range in
            LapPart(lap: lap, range: range, summary: summary(of: lap, points: range, &before))
        }
    }

    /// Summary of all points.
    var wholeSummary: StretchSummary {
        var before = 0.0
        let whole = RecordedLap(start: start, end: end)
        return summary(of: whole, points: points.indices, &before)
    }

    /// Summarizes a lap's points: distance within, mean and highest heart rate. `before` holds the
    /// meters at the end of the previous laps, and afterwards those of this lap.
    private func summary(
        of lap: RecordedLap, points range: Range<Int>, _ before: inout Double
    ) -> StretchSummary {
        var summary = StretchSummary()
        for point in points[range] { summary.add(point) }
        if let last = points[range].last(where: { $0.distanceMeters != nil })?.distanceMeters {
            summary.distanceMeters = max(last - before, 0)
            before = last
        }
        if let distance = lap.distanceMeters { summary.distanceMeters = distance }
        if let rate = lap.averageHeartRate { summary.averageHeartRate = rate }
        return summary
    }
}

/// A lap, its points and their sums.
struct LapPart {
    var lap: RecordedLap
    var range: Range<Int>
    var summary: StretchSummary
}

/// Sums over some points.
struct StretchSummary {
    var distanceMeters: Double?
    var averageHeartRate: Double?
    var maxHeartRate: Double?
    var averageCadence: Double?
    var maxSpeed: Double?
    private var heartRateCount = 0.0
    private var cadenceCount = 0.0

    mutating func add(_ point: SessionPoint) {
        if let rate = point.heartRate {
            heartRateCount += 1
            let average = averageHeartRate ?? 0
            averageHeartRate = average + (rate - average) / heartRateCount
            maxHeartRate = max(maxHeartRate ?? 0, rate)
        }
        if let cadence = point.cadence, cadence > 0 {
            cadenceCount += 1
            let average = averageCadence ?? 0
            averageCadence = average + (cadence - average) / cadenceCount
        }
        if let speed = point.speedMetersPerSecond { maxSpeed = max(maxSpeed ?? 0, speed) }
    }
}
