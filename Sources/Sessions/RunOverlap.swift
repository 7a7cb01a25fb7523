package import SensorModel

/// Measures how much two runs overlap in time, since nobody runs twice at once.
package enum RunOverlap {
    /// Minimum overlap at which two recordings may be one run.
    package static let shareMin = 0.5

    /// - Returns: The share of the shorter run's time that both cover, 0 to 1; for a moment, 1.
    package static func share(
        _ one: ClosedRange<Timestamp>, _ other: ClosedRange<Timestamp>
    ) -> Double {
        guard one.overlaps(other) else { return 0 }
        let shorter = min(seconds(one), seconds(other))
        guard shorter > 0 else { return 1 }
        return seconds(one.clamped(to: other)) / shorter
    }

    /// The runs without those that a longer run covers.
    ///
    /// - Parameters:
    ///   - runs: Runs in any order.
    ///   - times: Returns the times of a run.
    /// - Returns: The longest run of each overlapping set, newest start first.
    package static func once<Run>(
        _ runs: [Run], times: (Run) -> ClosedRange<Timestamp>
    ) -> [Run] {
        var kept: [(run: Run, times: ClosedRange<Timestamp>)] = []
        for run in runs.map({ (run: $0, times: times($0)) })
            .sorted(by: { $0.times.lowerBound < $1.times.lowerBound })
        {
            // Only the last runs can reach so far, since a run of a day covers few others.
            let index = kept.suffix(8).lastIndex { share($0.times, run.times) >= shareMin }
            guard let index else {
                kept.append(run)
                continue
            }
            if seconds(run.times) > seconds(kept[index].times) { kept[index] = run }
        }
        return kept.reversed().map(\.run)
    }

    private static func seconds(_ times: ClosedRange<Timestamp>) -> Double {
        times.upperBound.seconds(since: times.lowerBound)
    }
}
