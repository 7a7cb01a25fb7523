import SensorModel

extension Alert {
    /// - Parameter isOff: Whether the runner left the course; `false` if the runner returned to it.
    /// - Returns: The alert for viewers.
    static func offCourse(_ isOff: Bool) -> Alert {
        Alert(
            kind: .offCourse, severity: isOff ? .moderate : .information,
            phase: isOff ? .triggered : .cleared)
    }
}

/// A runner's position on a course, the next checkpoint, and whether the runner left the course.
struct CourseTracker: Sendable {
    struct Parameters: Sendable {
        /// Distance along the course at which a checkpoint counts as reached, meters; the
        /// reference's value.
        var checkpointMeters = 150.0
        /// Distance from the nearest point of the course, meters; the reference's value.
        var offCourseMeters = 200.0
        /// Distance below which the runner is back on the course, meters. It is smaller than
        /// `offCourseMeters`, so that the alert does not flicker.
        var onCourseMeters = 150.0
        /// Points searched around the last position. All are searched only if that fails.
        var windowPoints = 200
        /// Cost of each meter along the course from the last position, in meters. Without it, the
        /// finish of a loop would be as near as its start, and the way back as the way out.
        var jumpCost = 0.05
    }

    /// The course. The caller may replace it only by an equal one.
    var route: CourseRoute
    private let parameters = Parameters()
    private var nextCheckpoint = 0
    /// Checkpoints already reported. None is reported twice, even if the owner changes the course.
    private var told = CheckpointSet()
    private var place = 0
    private var hasPlace = false
    private(set) var metersAlong = 0.0
    private(set) var isOffCourse = false

    /// Creates a tracker; returns `nil` for a course of fewer than two points.
    ///
    /// - Parameters:
    ///   - route: The course from the next fix on.
    ///   - earlier: The course followed so far.
    init?(_ route: CourseRoute, after earlier: CourseTracker? = nil) {
        guard route.course.points.count > 1 else { return nil }
        self.route = route
        guard let earlier, !earlier.told.isEmpty else { return }
        let known = Set(earlier.told.of(earlier.route.checkpoints).map(\.checkpoint))
        for (index, place) in route.checkpoints.enumerated() where known.contains(place.checkpoint)
        {
            told.insert(index)
        }
    }

    /// - Returns: Names of the checkpoints reached by this fix, in course order, and whether the
    ///   runner left the course or returned to it.
    mutating func update(_ location: Location) -> (reached: [String], offCourseChanged: Bool) {
        let near = max(0, place - parameters.windowPoints)
        let far = min(route.course.points.count - 1, place + parameters.windowPoints)
        var found = route.nearest(
            to: location, in: near..<far, from: metersAlong, jumpCost: parameters.jumpCost)
        if found.meters > parameters.onCourseMeters,
            let anywhere = route.nearest(to: location, within: found.meters / 2)
        {
            found = anywhere
        }
        let was = isOffCourse
        if found.meters > parameters.offCourseMeters {
            isOffCourse = true
        } else if found.meters < parameters.onCourseMeters {
            isOffCourse = false
        }
        guard !isOffCourse else { return ([], was != isOffCourse) }
        place = found.segment
        metersAlong = route.alongMeters[found.segment] + found.metersIntoSegment
        return (checkpointsReached(), was != isOffCourse)
    }

    /// Skips checkpoints before the first position on the course: their times are unknown.
    private mutating func checkpointsReached() -> [String] {
        let isFirstPlace = !hasPlace
        hasPlace = true
        var reached: [String] = []
        while nextCheckpoint < route.checkpoints.count {
            let index = nextCheckpoint
            let place = route.checkpoints[index]
            guard metersAlong >= place.meters - parameters.checkpointMeters else { break }
            nextCheckpoint += 1
            if isFirstPlace, metersAlong > place.meters + parameters.checkpointMeters { continue }
            let isTold = told.of(route.checkpoints).contains { $0.checkpoint == place.checkpoint }
            guard !isTold else { continue }
            told.insert(index)
            reached.append(place.checkpoint.name)
        }
        return reached
    }

    /// The course's altitude at the last place; `nil` off the course, or if it has none.
    var altitude: Double? {
        hasPlace && !isOffCourse ? route.altitude(at: metersAlong) : nil
    }

    /// The course ahead: its meters, and the meters that they climb.
    ///
    /// - Parameter limit: Meters of the course at most.
    /// - Returns: `nil` off the course, before the first fix on it, and without altitudes.
    func ahead(within limit: Double) -> CourseAhead? {
        guard hasPlace, !isOffCourse, let length = route.alongMeters.last else { return nil }
        let meters = min(max(0, length - metersAlong), limit)
        return route.climb(from: metersAlong, to: metersAlong + meters).map {
            CourseAhead(meters: meters, climbMeters: $0)
        }
    }

    /// - Parameters:
    ///   - elapsedSeconds: Elapsed seconds of the session.
    ///   - metersPerSecond: Mean speed of the session, pauses included.
    /// - Returns: The checkpoints ahead and their predicted times. Times after the first are whole
    ///   seconds, as shown: 3 bytes of a record instead of 9.
    func progress(elapsedSeconds: Double, metersPerSecond: Double?) -> CourseProgress {
        var nameBytes = 0
        let ahead = route.checkpoints[nextCheckpoint...].prefix(CourseProgress.aheadMax).prefix {
            nameBytes += $0.checkpoint.name.utf8.count
            return nameBytes <= CourseProgress.aheadNameBytesMax
        }
        func predicted(_ meters: Double) -> Double? {
            guard let metersPerSecond, metersPerSecond > 0.1 else { return nil }
            return elapsedSeconds + max(0, meters - metersAlong) / metersPerSecond
        }
        return CourseProgress(
            checkpoint: ahead.first?.checkpoint.name,
            predictedSeconds: ahead.first.flatMap { predicted($0.meters) }, offCourse: isOffCourse,
            later: ahead.dropFirst().map {
                CheckpointAhead(
                    checkpoint: $0.checkpoint.name,
                    predictedSeconds: predicted($0.meters)?.rounded())
            })
    }
}

/// A piece of the course that the runner has not covered yet.
struct CourseAhead: Sendable {
    let meters: Double
    let climbMeters: Double
}

/// A set of checkpoint indexes below ``Course/checkpointsMax``, in 32 bytes a session.
private struct CheckpointSet: Sendable {
    private var words = SIMD4<UInt64>()

    var isEmpty: Bool { words == SIMD4() }

    /// The checkpoints of the set.
    func of(_ checkpoints: [CourseRoute.Checkpoint]) -> some Sequence<CourseRoute.Checkpoint> {
        checkpoints.enumerated().lazy.filter { [words] place in
            words[place.offset >> 6] & (1 << UInt64(place.offset & 63)) != 0
        }.map(\.element)
    }

    mutating func insert(_ index: Int) { words[index >> 6] |= 1 << UInt64(index & 63) }
}
