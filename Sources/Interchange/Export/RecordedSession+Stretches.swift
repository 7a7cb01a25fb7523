import SensorModel

extension RecordedSession {
    /// The points between pauses, each stretch in order of time and not empty.
    ///
    /// A pause too short to hold a point still parts two stretches.
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

    /// The laps that were closed and the one that runs on to the end; at least one.
    var lapsToEnd: [RecordedLap] {
        let lastEnd = laps.last?.end ?? start
        guard lastEnd < end || laps.isEmpty else { return laps }
        return laps + [RecordedLap(start: lastEnd, end: end)]
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

    /// What a lap's points say: the distance within, mean and highest heart rate.
    func summary(of lap: RecordedLap) -> StretchSummary {
        var summary = StretchSummary()
        for point in points[indices(of: lap)] { summary.add(point) }
        if let first = distance(at: lap.start), let last = distance(at: lap.end) {
            summary.distanceMeters = max(last - first, 0)
        }
        if let distance = lap.distanceMeters { summary.distanceMeters = distance }
        if let rate = lap.averageHeartRate { summary.averageHeartRate = rate }
        return summary
    }

    /// Points from the lap's start up to its end; the last lap has the last point too.
    func indices(of lap: RecordedLap) -> Range<Int> {
        let lower = points.firstIndex { $0.time >= lap.start } ?? points.count
        let isLast = lap.end >= end
        let upper = points.firstIndex { isLast ? $0.time > lap.end : $0.time >= lap.end }
        return lower..<max(upper ?? points.count, lower)
    }

    /// The last distance known at a moment; 0 before the first.
    private func distance(at time: Timestamp) -> Double? {
        guard let known = points.last(where: { $0.time <= time && $0.distanceMeters != nil })
        else { return points.contains { $0.distanceMeters != nil } ? 0 : nil }
        return known.distanceMeters
    }
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
