public import SensorModel

/// A course with values computed from it: distances along it and places of its checkpoints.
///
/// It is computed once, because that costs milliseconds. It is immutable, so all sessions that
/// follow the course share one object.
public final class CourseRoute: Sendable {
    struct Checkpoint: Sendable {
        let checkpoint: Course.Checkpoint
        /// Meters along the course.
        let meters: Double
    }

    typealias Place = (segment: Int, metersIntoSegment: Double, meters: Double)

    public let course: Course
    /// Distance of each point along the course, meters.
    let alongMeters: [Double]
    /// Altitude of each point, as a mean; empty if the course has none.
    private let altitudes: [Double]
    /// Meters climbed from the start to each point; empty if the course has no altitudes.
    private let climbMeters: [Double]
    /// Checkpoints in course order.
    let checkpoints: [Checkpoint]
    private let boxes: SegmentBoxes

    /// - Complexity: O(points + checkpoints × points ÷ 32), unless most of the course is equally
    ///   far from its checkpoints. A long course with many checkpoints takes milliseconds, so the
    ///   pipeline's thread must not compute it.
    public init(_ course: Course) {
        let points = course.points
        var sums = [0.0]
        sums.reserveCapacity(points.count)
        for (first, second) in zip(points, points.dropFirst()) {
            sums.append(
                (sums.last ?? 0)
                    + Geodesy.meters(
                        fromLatitude: first.latitude, longitude: first.longitude,
                        toLatitude: second.latitude, longitude: second.longitude))
        }
        let boxes = SegmentBoxes(points)
        self.course = course
        self.boxes = boxes
        alongMeters = sums
        altitudes = Self.means(of: course.altitudes, along: sums)
        var counter = ClimbCounter(threshold: Self.climbThresholdMeters)
        climbMeters = altitudes.map { altitude in
            counter.add(altitude)
            return counter.gainMeters
        }
        checkpoints = course.checkpoints.map { checkpoint in
            let nearest = boxes.nearest(
                to: (checkpoint.place.latitude, checkpoint.place.longitude), of: points)
            let meters = nearest.map { sums[$0.segment] + $0.metersIntoSegment } ?? 0
            return Checkpoint(checkpoint: checkpoint, meters: meters)
        }.sorted { $0.meters < $1.meters }
    }

    /// Bytes of memory, rounded up.
    public var bytes: Int {
        let names = course.checkpoints.reduce(0) { $0 + $1.name.utf8.count + 32 }
        return course.points.count * 24 + course.altitudes.count * 24 + course.checkpoints.count
            * 96 + names + 8192
    }

    /// Meters over which altitudes are averaged, and the swing that counts as a climb: heights of
    /// recorded tracks are noisy, those of maps have steps.
    private static let climbMeanMeters = 100.0
    static let climbThresholdMeters = 10.0

    /// Altitudes averaged over ``climbMeanMeters`` around each point.
    private static func means(of altitudes: [Double], along meters: [Double]) -> [Double] {
        var means: [Double] = []
        means.reserveCapacity(altitudes.count)
        var (first, last, sum) = (0, 0, 0.0)
        for index in altitudes.indices {
            while last < altitudes.count, meters[last] <= meters[index] + climbMeanMeters / 2 {
                sum += altitudes[last]
                last += 1
            }
            while meters[first] < meters[index] - climbMeanMeters / 2 {
                sum -= altitudes[first]
                first += 1
            }
            means.append(sum / Double(last - first))
        }
        return means
    }

    /// Altitude at a place, meters along the course; `nil` if the course has none.
    func altitude(at meters: Double) -> Double? {
        altitudes.isEmpty ? nil : value(of: altitudes, at: meters)
    }

    /// The climb between two places of the course.
    ///
    /// - Parameters:
    ///   - start: Meters along the course.
    ///   - end: Meters along the course; places beyond its end count as its end.
    /// - Returns: Meters climbed; `nil` if the course has no altitudes.
    func climb(from start: Double, to end: Double) -> Double? {
        guard !climbMeters.isEmpty else { return nil }
        return value(of: climbMeters, at: end) - value(of: climbMeters, at: start)
    }

    /// A value between those of two points.
    private func value(of values: [Double], at meters: Double) -> Double {
        var (low, high) = (0, alongMeters.count - 1)
        guard meters < alongMeters[high] else { return values[high] }
        while high - low > 1 {
            let middle = (low + high) / 2
            if alongMeters[middle] <= meters { low = middle } else { high = middle }
        }
        let length = alongMeters[high] - alongMeters[low]
        let share = length > 0 ? max(0, meters - alongMeters[low]) / length : 0
        return values[low] + share * (values[high] - values[low])
    }

    /// The point of the course nearest to a location, if it is within a distance.
    ///
    /// - Parameters:
    ///   - location: A fix.
    ///   - limit: Meters; farther places are not found.
    /// - Returns: The place; `nil` if none is within `limit`.
    func nearest(to location: Location, within limit: Double) -> Place? {
        boxes.nearest(
            to: (location.latitude, location.longitude), of: course.points, within: limit)
    }

    /// Finds the place of least cost among some segments: the distance plus a share of the way
    /// along the course from the last place.
    ///
    /// - Parameters:
    ///   - location: A fix.
    ///   - range: Segments to search.
    ///   - metersAlong: The last place, meters along the course.
    ///   - jumpCost: Cost of each meter along the course, in meters of distance.
    /// - Returns: The place of least cost.
    func nearest(
        to location: Location, in range: Range<Int>, from metersAlong: Double, jumpCost: Double
    ) -> Place {
        var best: Place = (0, 0, .infinity)
        var bestCost = Double.infinity
        SegmentBoxes.forEachPlace(
            of: course.points, in: range, from: (location.latitude, location.longitude)
        ) { place in
            let jump = alongMeters[place.segment] + place.metersIntoSegment - metersAlong
            let cost = place.meters + jumpCost * abs(jump)
            if cost < bestCost { (best, bestCost) = (place, cost) }
        }
        return best
    }
}
