import SensorModel

/// The course that the runner follows.
///
/// - In: locations, meters.
/// - Out: whether the runner is off the course. Emits `checkpointReached` and `alert`.
struct CourseStage: Sendable {
    private var tracker: CourseTracker?

    var isOffCourse: Bool { tracker?.isOffCourse == true }

    func follows(_ course: Course?) -> Bool { course == tracker?.course }

    /// Sets the course; `nil` removes it.
    mutating func set(_ course: Course?) {
        tracker = course.flatMap { CourseTracker($0, after: tracker) }
    }

    mutating func follow(
        _ location: Location, meters: Double?, _ context: inout StageContext
    ) {
        guard let change = tracker?.update(location) else { return }
        for name in change.reached {
            let reached = CheckpointReached(
                checkpoint: name,
                elapsedSeconds: context.times.elapsedSeconds(until: context.time),
                distanceMeters: meters)
            context.emit(.checkpointReached(reached))
        }
        if change.offCourseChanged { context.emit(.alert(.offCourse(isOffCourse))) }
    }

    /// - Parameter shown: Metrics that already have the distance and the elapsed time.
    func show(in shown: inout Metrics) {
        guard let tracker, let meters = shown.distanceMeters else { return }
        let elapsed = shown.elapsedSeconds
        shown.course = tracker.progress(
            elapsedSeconds: elapsed, metersPerSecond: elapsed > 0 ? meters / elapsed : nil)
    }
}
