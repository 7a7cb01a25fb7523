import SensorModel

extension Alert {
    /// - Parameter isOff: Whether the runner left the course; `false`: returned to it.
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
        /// Distance below which the runner is back on the course, meters: the alert must not
        /// flicker.
        var onCourseMeters = 150.0
        /// Points searched around the last position; the rest only if that fails.
        var windowPoints = 200
        /// Extra distance, in meters, for each meter along the course from the last position. Else
        /// the finish of a loop would be as near as its start, and the way back as the way out.
        var jumpCost = 0.05
    }

    let course: Course
    private let parameters = Parameters()
    private let alongMeters: [Double]
    private let checkpoints: [(checkpoint: Course.Checkpoint, meters: Double)]
    private var nextCheckpoint = 0
    /// Checkpoints already reported. None is reported twice, even if the owner changes the course.
    private var told: Set<Course.Checkpoint>
    private var place = 0
    private var hasPlace = false
    private(set) var metersAlong = 0.0
    private(set) var isOffCourse = false

    /// Returns `nil` for a course of fewer than two points.
    ///
    /// - Parameters:
    ///   - course: The course from the next fix on.
    ///   - earlier: The course followed so far.
    init?(_ course: Course, after earlier: CourseTracker? = nil) {
        guard course.points.count > 1 else { return nil }
        self.course = course
        told = earlier?.told.intersection(course.checkpoints) ?? []
        var sums = [0.0]
        for (first, second) in zip(course.points, course.points.dropFirst()) {
            sums.append(
                (sums.last ?? 0)
                    + Geodesy.meters(
                        fromLatitude: first.latitude, longitude: first.longitude,
                        toLatitude: second.latitude, longitude: second.longitude))
        }
        alongMeters = sums
        checkpoints = course.checkpoints.map { checkpoint in
            let places = course.points.indices.dropLast().map { segment in
                Self.place(
                    ofLatitude: checkpoint.place.latitude, longitude: checkpoint.place.longitude,
                    on: segment, of: course.points)
            }
            let nearest = places.min { $0.meters < $1.meters } ?? (0, 0, 0)
            return (checkpoint, sums[nearest.segment] + nearest.metersIntoSegment)
        }.sorted { $0.meters < $1.meters }
    }

    private var points: [Course.Point] { course.points }

    /// - Returns: Names of the checkpoints reached by this fix, in course order, and the change of
    ///   being off the course.
    mutating func update(_ location: Location) -> (reached: [String], offCourseChanged: Bool) {
        let near = max(0, place - parameters.windowPoints)
        let far = min(points.count - 1, place + parameters.windowPoints)
        var found = nearest(location, near..<far, jumpCost: parameters.jumpCost)
        if found.meters > parameters.onCourseMeters {
            let anywhere = nearest(location, 0..<points.count - 1, jumpCost: 0)
            if anywhere.meters < found.meters / 2 { found = anywhere }
        }
        let was = isOffCourse
        if found.meters > parameters.offCourseMeters {
            isOffCourse = true
        } else if found.meters < parameters.onCourseMeters {
            isOffCourse = false
        }
        guard !isOffCourse else { return ([], was != isOffCourse) }
        place = found.segment
        metersAlong = alongMeters[found.segment] + found.metersIntoSegment
        return (checkpointsReached(), was != isOffCourse)
    }

    /// Checkpoints before the first position on the course were passed at an unknown time.
    private mutating func checkpointsReached() -> [String] {
        let isFirstPlace = !hasPlace
        hasPlace = true
        var reached: [String] = []
        while nextCheckpoint < checkpoints.count {
            let (checkpoint, meters) = checkpoints[nextCheckpoint]
            guard metersAlong >= meters - parameters.checkpointMeters else { break }
            nextCheckpoint += 1
            if isFirstPlace, metersAlong > meters + parameters.checkpointMeters { continue }
            if told.insert(checkpoint).inserted { reached.append(checkpoint.name) }
        }
        return reached
    }

    /// - Parameters:
    ///   - elapsedSeconds: Elapsed seconds of the session.
    ///   - metersPerSecond: Mean speed of the session, pauses included.
    /// - Returns: The checkpoints ahead and their predicted times. Later ones are whole seconds, as
    ///   shown: 3 bytes of a record instead of 9.
    func progress(elapsedSeconds: Double, metersPerSecond: Double?) -> CourseProgress {
        let ahead = checkpoints[nextCheckpoint...].prefix(CourseProgress.aheadMax)
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

    private typealias Place = (segment: Int, metersIntoSegment: Double, meters: Double)

    private func nearest(
        _ location: Location, _ range: Range<Int>, jumpCost: Double
    ) -> Place {
        var best: Place = (0, 0, .infinity)
        var bestCost = Double.infinity
        for index in range {
            let place = Self.place(
                ofLatitude: location.latitude, longitude: location.longitude, on: index, of: points)
            let jump = alongMeters[index] + place.metersIntoSegment - metersAlong
            let cost = place.meters + jumpCost * abs(jump)
            if cost < bestCost { (best, bestCost) = (place, cost) }
        }
        return best
    }

    /// The foot of the perpendicular on a segment.
    private static func place(
        ofLatitude latitude: Double, longitude: Double, on segment: Int, of points: [Course.Point]
    ) -> Place {
        let start = points[segment]
        let end = points[segment + 1]
        let origin = (latitude: latitude, longitude: longitude)
        let a = Geodesy.offset(of: (start.latitude, start.longitude), from: origin)
        let b = Geodesy.offset(of: (end.latitude, end.longitude), from: origin)
        let along = b - a
        let squared = (along * along).sum()
        let share = squared > 0 ? min(max(-(a * along).sum() / squared, 0), 1) : 0
        let foot = a + share * along
        return (segment, share * squared.squareRoot(), (foot * foot).sum().squareRoot())
    }
}
