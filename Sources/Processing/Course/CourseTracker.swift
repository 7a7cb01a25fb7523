import SensorModel

extension Alert {
    /// - Parameter isOff: The way is lost; `false`: it was found again.
    /// - Returns: What viewers are told.
    static func offCourse(_ isOff: Bool) -> Alert {
        Alert(
            kind: .offCourse, severity: isOff ? .moderate : .information,
            phase: isOff ? .triggered : .cleared)
    }
}

/// Where on a course a runner is, which checkpoint comes next, and whether the way is lost.
struct CourseTracker: Sendable {
    struct Parameters: Sendable {
        /// Meters along the course at which a checkpoint counts as reached; the reference's.
        var checkpointMeters = 150.0
        /// Meters from the nearest point of the course; the reference's.
        var offCourseMeters = 200.0
        /// Back on it below this, meters: so that the alert does not flicker.
        var onCourseMeters = 150.0
        /// Points looked at around the last place; the rest only when that fails.
        var windowPoints = 200
        /// Meters that a place counts as farther off for each meter along the course from the last
        /// one: else the finish of a loop is as near as its start, and the way back as the way out.
        var jumpCost = 0.05
    }

    let course: Course
    private let parameters = Parameters()
    private let alongMeters: [Double]
    private let checkpoints: [(checkpoint: Course.Checkpoint, meters: Double)]
    private var nextCheckpoint = 0
    /// Nobody is told of one twice, not even when the owner sends a changed course.
    private var told: Set<Course.Checkpoint>
    private var place = 0
    private var hasPlace = false
    private(set) var metersAlong = 0.0
    private(set) var isOffCourse = false

    /// `nil` for a course of fewer than two points.
    ///
    /// - Parameters:
    ///   - course: To follow from the next fix on.
    ///   - earlier: What was followed so far.
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

    var totalMeters: Double { alongMeters.last ?? 0 }

    private var points: [Course.Point] { course.points }

    /// - Returns: Names of the checkpoints that this fix reaches, in the order of the course, and
    ///   whether being off course has changed.
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

    /// What lies behind the first place on the course was passed at a time that nobody knows.
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
    ///   - elapsedSeconds: Of the session.
    ///   - metersPerSecond: Mean speed of the session, pauses included.
    /// - Returns: The checkpoints ahead and when they are predicted; the later ones to the second,
    ///   as they are shown, which takes 3 bytes of a record and not 9.
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
