import SensorModel

/// Selects the fixes that measure distance, and keeps the newest position.
///
/// - In: locations.
/// - Out: the verdict on each; the rhythm of the source.
struct PositionStage: Sendable {
    private var gate = FixGate()
    private var newest: (location: Location, time: Timestamp)?

    /// Time of the newest fix, usable or not; `nil` before the first.
    var newestTime: Timestamp? { newest?.time }
    /// Time of the newest fix that distance is measured with.
    var measuredTime: Timestamp? { gate.anchor?.time }

    /// Seconds between two fixes.
    var rhythmSeconds: Double { gate.rhythmSeconds }

    /// Seconds without a fix that make a hole.
    var holeSeconds: Double { gate.holeSeconds }

    private var staleSeconds: Double { max(5, 3 * gate.rhythmSeconds) }

    /// - Returns: The verdict; `nil` for a fix not later than the newest, which changes nothing.
    mutating func admit(_ location: Location, at time: Timestamp) -> FixGate.Verdict? {
        if let newest, time <= newest.time { return nil }
        newest = (location, time)
        return gate.admit(location, at: time)
    }

    func silenceSeconds(at time: Timestamp) -> Double {
        newest.map { time.seconds(since: $0.time) } ?? .infinity
    }

    // MARK: Metrics

    func addDeadlines(to deadline: inout SilenceDeadline) {
        deadline.add(newest?.time.advanced(bySeconds: staleSeconds + 0.001))
    }

    func show(in shown: inout Metrics, at times: StageTimes) {
        guard let newest else { return }
        let isStale = times.shownAt.seconds(since: newest.time) > staleSeconds
        let location = newest.location
        shown.position = PositionMetric(
            latitude: location.latitude, longitude: location.longitude,
            altitudeMeters: location.altitude,
            horizontalAccuracyMeters: location.horizontalAccuracy,
            courseDegrees: location.course,
            state: times.isEnded ? .ended : isStale ? .stale : .live)
        if isStale {
            shown.gpsQuality = GPSQuality.none
        } else if let accuracy = location.horizontalAccuracy {
            shown.gpsQuality = GPSQuality(horizontalAccuracy: accuracy)
        }
    }
}
