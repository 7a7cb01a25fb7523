import SensorModel

/// Follows the runner along the course.
///
/// - In: locations, meters.
/// - Out: whether the runner is off the course. Emits `checkpointReached` and `alert`.
struct CourseStage: Sendable {
    private var tracker: CourseTracker?

    var isOffCourse: Bool { tracker?.isOffCourse == true }

    var route: CourseRoute? { tracker?.route }

    /// Returns whether `route` is the same course. An equal course is replaced by the object
    /// `route`, so that all sessions that follow the course share one.
    mutating func follows(_ route: CourseRoute?) -> Bool {
        guard route !== tracker?.route else { return true }
        guard let route, route.course == tracker?.route.course else {
            return route == nil && tracker == nil
        }
        tracker?.route = route
        return true
    }

    /// Sets the course; `nil` removes it.
    mutating func set(_ route: CourseRoute?) {
        tracker = route.flatMap { CourseTracker($0, after: tracker) }
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

    /// The course's altitude at the last place; `nil` if it is unknown.
    var altitude: Double? { tracker?.altitude }

    /// The course ahead, at most `limit` meters of it; `nil` if it or its climb is unknown.
    func ahead(within limit: Double) -> CourseAhead? { tracker?.ahead(within: limit) }

    /// - Parameter shown: Metrics that already have the distance and the elapsed time.
    func show(in shown: inout Metrics) {
        guard let tracker, let meters = shown.distanceMeters else { return }
        let elapsed = shown.elapsedSeconds
        shown.course = tracker.progress(
            elapsedSeconds: elapsed, metersPerSecond: elapsed > 0 ? meters / elapsed : nil)
    }
}
