import SensorModel

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
        /// A longer course is thinned to this many points.
        var pointsMax = 20_000
    }

    struct Reached: Hashable, Sendable {
        var name: String
    }

    private let parameters = Parameters()
    private let points: [Course.Point]
    private let alongMeters: [Double]
    private let checkpoints: [(name: String, meters: Double)]
    private var nextCheckpoint = 0
    private var place = 0
    private(set) var metersAlong = 0.0
    private(set) var isOffCourse = false

    /// - Returns: `nil` for a course of fewer than two points.
    init?(_ course: Course) {
        guard course.points.count > 1 else { return nil }
        let step = (course.points.count - 1) / parameters.pointsMax + 1
        var kept = stride(from: 0, to: course.points.count, by: step).map { course.points[$0] }
        if step > 1, let last = course.points.last { kept.append(last) }
        points = kept
        var sums = [0.0]
        for (first, second) in zip(kept, kept.dropFirst()) {
            sums.append(
                (sums.last ?? 0)
                    + Geodesy.meters(
                        fromLatitude: first.latitude, longitude: first.longitude,
                        toLatitude: second.latitude, longitude: second.longitude))
        }
        alongMeters = sums
        checkpoints = course.checkpoints.map { checkpoint in
            let place = Self.nearest(
                latitude: checkpoint.latitude, longitude: checkpoint.longitude, in: kept,
                range: 0..<kept.count - 1)
            return (checkpoint.name, sums[place.segment] + place.metersIntoSegment)
        }.sorted { $0.meters < $1.meters }
    }

    var totalMeters: Double { alongMeters.last ?? 0 }

    /// - Returns: Checkpoints reached by this fix, and whether being off course has changed.
    mutating func update(_ location: Location) -> (reached: [Reached], offCourseChanged: Bool) {
        let near = max(0, place - parameters.windowPoints)
        let far = min(points.count - 1, place + parameters.windowPoints)
        var found = nearest(location, near..<far)
        if found.meters > parameters.onCourseMeters {
            let anywhere = nearest(location, 0..<points.count - 1)
            if anywhere.meters < found.meters / 2 { found = anywhere }
        }
        let was = isOffCourse
        if found.meters > parameters.offCourseMeters {
            isOffCourse = true
        } else if found.meters < parameters.onCourseMeters {
            isOffCourse = false
        }
        var reached: [Reached] = []
        if !isOffCourse {
            place = found.segment
            metersAlong = alongMeters[found.segment] + found.metersIntoSegment
            while nextCheckpoint < checkpoints.count,
                metersAlong >= checkpoints[nextCheckpoint].meters - parameters.checkpointMeters
            {
                reached.append(Reached(name: checkpoints[nextCheckpoint].name))
                nextCheckpoint += 1
            }
        }
        return (reached, was != isOffCourse)
    }

    /// - Parameters:
    ///   - elapsedSeconds: Of the session.
    ///   - metersPerSecond: Mean speed of the session, pauses included.
    /// - Returns: The checkpoint ahead and when it is predicted.
    func progress(elapsedSeconds: Double, metersPerSecond: Double?) -> CourseProgress {
        guard nextCheckpoint < checkpoints.count else {
            return CourseProgress(checkpoint: nil, predictedSeconds: nil, offCourse: isOffCourse)
        }
        let next = checkpoints[nextCheckpoint]
        var predicted: Double?
        if let metersPerSecond, metersPerSecond > 0.1 {
            predicted = elapsedSeconds + max(0, next.meters - metersAlong) / metersPerSecond
        }
        return CourseProgress(
            checkpoint: next.name, predictedSeconds: predicted, offCourse: isOffCourse)
    }

    private typealias Place = (segment: Int, metersIntoSegment: Double, meters: Double)

    private func nearest(_ location: Location, _ range: Range<Int>) -> Place {
        Self.nearest(
            latitude: location.latitude, longitude: location.longitude, in: points, range: range)
    }

    /// The foot of the perpendicular on the nearest segment.
    private static func nearest(
        latitude: Double, longitude: Double, in points: [Course.Point], range: Range<Int>
    ) -> Place {
        var best: Place = (0, 0, .infinity)
        for index in range {
            let start = points[index]
            let end = points[index + 1]
            let origin = (latitude: latitude, longitude: longitude)
            let a = Geodesy.offset(of: (start.latitude, start.longitude), from: origin)
            let b = Geodesy.offset(of: (end.latitude, end.longitude), from: origin)
            let along = b - a
            let squared = (along * along).sum()
            let share = squared > 0 ? min(max(-(a * along).sum() / squared, 0), 1) : 0
            let foot = a + share * along
            let meters = (foot * foot).sum().squareRoot()
            if meters < best.meters { best = (index, share * squared.squareRoot(), meters) }
        }
        return best
    }
}
