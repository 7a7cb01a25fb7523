import SensorModel

/// Shows each point of a held-back finish with the same delay or never, so that the end of the
/// points tells nothing about the runner.
struct LatePublisher: Publisher {
    let base: any Publisher
    let seconds: Double

    func publish(_ run: RecordedRun, hiding settings: PrivacySettings) -> ShownRun {
        var shown = base.publish(run, hiding: settings)
        shown.points.removeAll { point in
            guard let shownAt = point.shownAt else { return false }
            return shownAt - point.time > seconds
        }
        for index in shown.points.indices {
            shown.points[index].shownAt = shown.points[index].time + seconds
        }
        // The values shown last belong to the last point.
        shown.finalDistanceMeters = shown.points.last?.distanceMeters
        shown.finalMovingSeconds = shown.points.last?.movingSeconds
        shown.finalElevationGainMeters = shown.points.last?.elevationGainMeters
        shown.lateSeconds = seconds
        return shown
    }
}
