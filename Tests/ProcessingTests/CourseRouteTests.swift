import SensorModel
import Testing

@testable import Processing

@Suite struct CourseRouteTests {
    /// A random walk around a place; some steps have length zero.
    private static func way(_ longitude: Double, _ random: inout CourseRandom) -> [Course.Point] {
        var (north, east) = (48.0, longitude)
        let stepDegrees = Double.random(in: 0.0001...0.05, using: &random)
        return (0..<Int.random(in: 2...300, using: &random)).map { _ in
            if Int.random(in: 0..<5, using: &random) > 0 {
                north += Double.random(in: -stepDegrees...stepDegrees, using: &random)
                east += Double.random(in: -stepDegrees...stepDegrees, using: &random)
            }
            let wrapped = east > 180 ? east - 360 : east < -180 ? east + 360 : east
            return Course.Point(latitude: north, longitude: wrapped)
        }
    }

    /// The nearest place found by a search of all segments.
    private static func searched(
        _ points: [Course.Point], _ origin: (latitude: Double, longitude: Double)
    ) -> CourseRoute.Place {
        var best: CourseRoute.Place = (0, 0, .infinity)
        SegmentBoxes.forEachPlace(of: points, in: 0..<points.count - 1, from: origin) { place in
            if place.meters < best.meters { best = place }
        }
        return best
    }

    @Test(arguments: [11.5, 179.99, -179.99])
    func `Boxes find the place that a search of all segments finds`(longitude: Double) {
        var random = CourseRandom(state: 18)
        for _ in 0..<200 {
            let points = Self.way(longitude, &random)
            let boxes = SegmentBoxes(points)
            for _ in 0..<20 {
                let east = longitude + Double.random(in: -0.2...0.2, using: &random)
                let origin = (
                    latitude: 48 + Double.random(in: -0.2...0.2, using: &random),
                    longitude: east > 180 ? east - 360 : east < -180 ? east + 360 : east
                )
                let searched = Self.searched(points, origin)
                let found = boxes.nearest(to: origin, of: points)
                #expect(found?.segment == searched.segment)
                #expect(found?.meters == searched.meters)
                let limited = boxes.nearest(to: origin, of: points, within: searched.meters)
                #expect(limited == nil)
            }
        }
    }

    @Test(arguments: [0.0, 2.0])
    func `A course's climb is that of its hills, not of its noise`(noiseMeters: Double) throws {
        var random = CourseRandom(state: 3)
        // 10 km north, a point each 10 m; two hills of 120 m, each of 2 km.
        let count = 1001
        let points = (0..<count).map {
            Course.Point(latitude: 48 + Double($0) * 10 / 111_194.93, longitude: 11)
        }
        let heights = (0..<count).map { index -> Double in
            let meters = Double(index) * 10
            let onHill = [3000.0, 7000].map { max(0, 120 - abs(meters - $0) * 0.12) }
            let noise = Double.random(in: -1...1, using: &random) * noiseMeters
            return 500 + (onHill.max() ?? 0) + noise
        }
        let route = CourseRoute(Course(points: points, altitudes: heights))
        let flat = CourseRoute(Course(points: points))
        #expect(flat.climb(from: 0, to: 10_000) == nil)
        func climb(_ start: Double, _ end: Double) throws -> Double {
            try #require(route.climb(from: start, to: end))
        }
        #expect(abs(try climb(0, 99_000) - 240) < 10 + 2 * noiseMeters)
        #expect(abs(try climb(0, 5000) - 120) < 6 + noiseMeters)
        #expect(try climb(3200, 5800) == 0)
        #expect(abs(try climb(2400, 2800) - 48) < 3 + 3 * noiseMeters)
        #expect(try climb(9000, 20_000) == 0 && climb(20_000, 30_000) == 0)
        var tracker = try #require(CourseTracker(route))
        #expect(tracker.ahead(within: 5000) == nil, "nowhere yet")
        _ = tracker.update(try Location(latitude: 48 + 5000 / 111_194.93, longitude: 11))
        let ahead = try #require(tracker.ahead(within: 90_000))
        #expect(abs(ahead.meters - 5000) < 5)
        #expect(abs(ahead.climbMeters - 120) < 6 + noiseMeters)
        #expect(try #require(tracker.ahead(within: 500)).climbMeters == 0)
        _ = tracker.update(try Location(latitude: 48.02, longitude: 11.1))
        #expect(tracker.ahead(within: 5000) == nil, "off the course")
    }

    @Test func `Sessions that follow equal courses share one object`() throws {
        let course = Course(
            points: (0...40).map { Course.Point(latitude: 48 + Double($0) / 100, longitude: 11) })
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        let (one, other) = (CourseRoute(course), CourseRoute(course))
        let time = Timestamp(microseconds: 1_763_700_000_000_000)
        pipeline.apply(route: one, at: time, into: &events)
        #expect(pipeline.route === one)
        pipeline.apply(route: other, at: time, into: &events)
        #expect(pipeline.route === other)
        pipeline.apply(route: nil, at: time, into: &events)
        #expect(pipeline.route == nil)
    }
}
