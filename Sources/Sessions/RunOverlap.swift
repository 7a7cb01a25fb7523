package import SensorModel

/// How much of a run another one covers in time: nobody runs twice at once.
package enum RunOverlap {
    /// From this share on two recordings may be one run.
    package static let shareMin = 0.5

    /// - Returns: The part of the shorter one's time that both have, 0 to 1; that of a moment is 1.
    package static func share(
        _ one: ClosedRange<Timestamp>, _ other: ClosedRange<Timestamp>
    ) -> Double {
        guard one.overlaps(other) else { return 0 }
        let shorter = min(seconds(one), seconds(other))
        guard shorter > 0 else { return 1 }
        return seconds(one.clamped(to: other)) / shorter
    }

    /// Runs without those that a longer one covers.
    ///
    /// - Parameters:
    ///   - runs: In any order.
    ///   - times: Times of a run.
    /// - Returns: The longest of each, by their start, the newest first.
    package static func once<Run>(
        _ runs: [Run], times: (Run) -> ClosedRange<Timestamp>
    ) -> [Run] {
        var kept: [(run: Run, times: ClosedRange<Timestamp>)] = []
        for run in runs.map({ (run: $0, times: times($0)) })
            .sorted(by: { $0.times.lowerBound < $1.times.lowerBound })
        {
            // Only the last ones can reach so far: a run of a day covers few others.
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
