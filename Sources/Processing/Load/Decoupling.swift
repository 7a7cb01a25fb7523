import SensorModel

/// Computes drift of heart rate against speed, percent: efficiency (meters a beat) of the first
/// half of the moving time over that of the second (Friel's aerobic decoupling).
struct Decoupling: Sendable {
    struct Parameters: Sendable {
        /// Minimum seconds of moving time for a result.
        var secondsMin = 1200.0
        /// Maximum number of buckets. When full, neighbors are merged, so that any length fits.
        var bucketsMax = 240
    }

    private let parameters = Parameters()
    private var buckets: [(meters: Double, beats: Double, seconds: Double)] = []
    private var bucketSeconds = 30.0
    private var open = (meters: 0.0, beats: 0.0, seconds: 0.0)

    /// Adds one second of moving with a live heart rate.
    mutating func add(meters: Double, beatsPerMinute: Double) {
        open.meters += meters
        open.beats += beatsPerMinute / 60
        open.seconds += 1
        guard open.seconds >= bucketSeconds else { return }
        buckets.append(open)
        open = (0, 0, 0)
        guard buckets.count >= parameters.bucketsMax else { return }
        bucketSeconds *= 2
        buckets = stride(from: 0, to: buckets.count - 1, by: 2).map {
            let (first, second) = (buckets[$0], buckets[$0 + 1])
            return (
                first.meters + second.meters, first.beats + second.beats,
                first.seconds + second.seconds
            )
        }
    }

    var percent: Double? {
        guard Double(buckets.count) * bucketSeconds >= parameters.secondsMin else { return nil }
        let half = buckets.count / 2
        let first = efficiency(buckets[..<half])
        let second = efficiency(buckets[half...])
        guard let first, let second, first > 0 else { return nil }
        return (first - second) / first * 100
    }

    private func efficiency(
        _ part: ArraySlice<(meters: Double, beats: Double, seconds: Double)>
    ) -> Double? {
        let beats = part.reduce(0) { $0 + $1.beats }
        guard beats > 0 else { return nil }
        return part.reduce(0) { $0 + $1.meters } / beats
    }
}
