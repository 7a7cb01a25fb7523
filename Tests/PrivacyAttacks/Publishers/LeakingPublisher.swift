import SensorModel

/// Adds a design's deliberate leaks to the output of another publisher.
struct LeakingPublisher: Publisher {
    let base: any Publisher
    let design: Design

    func publish(_ run: RecordedRun, hiding settings: PrivacySettings) -> ShownRun {
        var shown = base.publish(run, hiding: settings)
        if design.tellsBeginning { shown.beganAt = run.samples.first.map { $0.time - 1 } }
        if design.tellsEnd { shown.endedAt = run.endedAt }
        if !design.hiddenRests { count(run, in: &shown) }
        if design.countsRecords { number(run, in: &shown) }
        if design.hasSecondShare {
            shown.beside = run.samples.map {
                ShownValue(
                    time: $0.time, distanceMeters: $0.distanceMeters,
                    movingSeconds: $0.movingSeconds)
            }
        }
        return shown
    }

    /// Adds cursors that count records.
    private func number(_ run: RecordedRun, in shown: inout ShownRun) {
        var samples = run.samples[...]
        for index in shown.points.indices {
            let offset = shown.points[index].record ?? 0
            while let sample = samples.first, sample.offset.rawValue < offset {
                samples.removeFirst()
            }
            shown.points[index].record = samples.first?.record
        }
    }

    /// Makes values continue where positions are hidden.
    private func count(_ run: RecordedRun, in shown: inout ShownRun) {
        var samples = run.samples[...]
        for index in shown.points.indices {
            let time = shown.points[index].time
            while let sample = samples.first, sample.time < time { samples.removeFirst() }
            guard let sample = samples.first else { break }
            shown.points[index].distanceMeters = sample.distanceMeters
            shown.points[index].elapsedSeconds = sample.elapsedSeconds
            shown.points[index].movingSeconds = sample.movingSeconds
            shown.points[index].elevationGainMeters = sample.elevationGainMeters
        }
        guard let last = run.samples.last else { return }
        shown.finalDistanceMeters = last.distanceMeters
        shown.finalMovingSeconds = last.movingSeconds
        shown.finalElevationGainMeters = last.elevationGainMeters
    }
}
