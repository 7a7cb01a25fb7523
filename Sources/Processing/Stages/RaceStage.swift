import SensorModel

/// Predicts the time at the race distance.
///
/// - In: meters, elapsed and moving seconds.
/// - Out: nothing.
struct RaceStage: Sendable {
    private var finish = FinishEstimator()

    /// - Parameters:
    ///   - meters: Meters of the session.
    ///   - isMeasured: Whether a fix measured them; a tick without new meters gives no information.
    ///   - raceKm: The race distance; `nil` if there is none.
    ///   - context: Context of the fix, or of the whole second.
    mutating func follow(
        meters: Double, isMeasured: Bool, raceKm: Double?, _ context: inout StageContext
    ) {
        finish.follow(
            meters: meters, elapsedSeconds: context.times.elapsedSeconds(until: context.time),
            isMeasured: isMeasured, raceKm: raceKm)
    }

    mutating func tick(meters: Double, movingSeconds: Double) {
        finish.update(meters: meters, movingSeconds: movingSeconds)
    }

    /// - Parameters:
    ///   - shown: Metrics that already have the distance, the climb and the times.
    ///   - profile: The profile, with the race distance and the last runs.
    ///   - course: The course that the runner follows.
    func show(in shown: inout Metrics, profile: RunnerProfile, course: CourseStage) {
        guard let meters = shown.distanceMeters, let raceKm = profile.raceKm else { return }
        shown.finishEstimate = finish.estimate(
            raceKm: raceKm, meters: meters, gainMeters: shown.elevationGainMeters,
            movingSeconds: shown.movingSeconds, elapsedSeconds: shown.elapsedSeconds,
            ahead: course.ahead(within: raceKm * 1000 - meters), recentRuns: profile.recentRuns)
    }
}
