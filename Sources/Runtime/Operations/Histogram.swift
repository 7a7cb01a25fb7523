import Synchronization

/// Counts durations in fixed buckets. One thread writes; the metrics page reads.
package final class Histogram: Sendable {
    /// Upper bounds in seconds: from well under a sync of a fast disk to one of a stalled disk.
    static let boundsSeconds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
    ]

    private struct Counts {
        var buckets = [Int](repeating: 0, count: Histogram.boundsSeconds.count + 1)
        var sumSeconds = 0.0
        var count = 0
    }

    private let counts = Mutex(Counts())

    /// - Parameters:
    ///   - seconds: Duration; negative values, as from a clock set back, count as 0.
    ///   - times: Number of events with this duration.
    package func record(seconds: Double, times: Int = 1) {
        let value = max(0, seconds)
        let index = Self.boundsSeconds.firstIndex { value <= $0 } ?? Self.boundsSeconds.count
        counts.withLock { counts in
            counts.buckets[index] += times
            counts.sumSeconds += value * Double(times)
            counts.count += times
        }
    }

    /// Lines of the Prometheus text format.
    package func lines(name: String, help: String) -> String {
        let counts = counts.withLock { $0 }
        var text = "# HELP \(name) \(help)\n# TYPE \(name) histogram\n"
        var cumulative = 0
        for (bound, count) in zip(Self.boundsSeconds, counts.buckets) {
            cumulative += count
            text += "\(name)_bucket{le=\"\(bound)\"} \(cumulative)\n"
        }
        text += "\(name)_bucket{le=\"+Inf\"} \(counts.count)\n"
        text += "\(name)_sum \(counts.sumSeconds)\n\(name)_count \(counts.count)\n"
        return text
    }
}
