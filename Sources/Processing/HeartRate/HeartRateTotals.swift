import SensorModel

/// Computes average, maximum and seconds in each zone.
///
/// The average weights each value by its duration. A watch that repeats its value 20 times a second
/// thus counts as much as a strap that sends it once.
struct HeartRateTotals: Sendable {
    struct Parameters: Sendable {
        /// Longest duration of a value, seconds: as long as it may be shown.
        var holdSecondsMax = 15.0
        /// The reference's rule: pairs with 0 < dt < 60 s count for the zone of the later sample.
        var zonePairSecondsMax = 60.0
    }

    let parameters = Parameters()
    private(set) var maximum: Double?
    private(set) var zoneSeconds: [Double] = []
    private var sum = 0.0
    private var seconds = 0.0
    private var last: (beatsPerMinute: Double, time: Timestamp)?

    /// - Returns: Seconds added to the zone by this sample.
    mutating func add(
        _ beatsPerMinute: Double, zone: Int, zoneCount: Int, at time: Timestamp
    ) -> Double {
        if zoneSeconds.count < zoneCount {
            zoneSeconds += [Double](repeating: 0, count: zoneCount - zoneSeconds.count)
        }
        var added = 0.0
        if let last {
            let held = time.seconds(since: last.time)
            guard held >= 0 else { return 0 }
            let counted = min(held, parameters.holdSecondsMax)
            sum += last.beatsPerMinute * counted
            seconds += counted
            if held > 0, held < parameters.zonePairSecondsMax { added = held }
            zoneSeconds[zone - 1] += added
        }
        last = (beatsPerMinute, time)
        maximum = max(maximum ?? 0, beatsPerMinute)
        return added
    }

    func average(at time: Timestamp) -> Double? {
        guard let last else { return nil }
        let held = min(max(time.seconds(since: last.time), 0), parameters.holdSecondsMax)
        guard seconds + held > 0 else { return last.beatsPerMinute }
        return (sum + last.beatsPerMinute * held) / (seconds + held)
    }

    /// The heart rate's integral, beats/min × s, and its seconds; those of a part by difference.
    func integral(at time: Timestamp) -> (beats: Double, seconds: Double) {
        guard let last else { return (0, 0) }
        let held = min(max(time.seconds(since: last.time), 0), parameters.holdSecondsMax)
        return (sum + last.beatsPerMinute * held, seconds + held)
    }
}
