import Foundation
import SensorModel
import Testing

@testable import Processing

/// Climb of a runner on a course with altitudes.
@Suite struct CourseClimbTests {
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)

    /// Two hills of 120 m on 10 km.
    private static func height(at meters: Double) -> Double {
        let onHill = [3000.0, 7000].map { max(0, 120 - abs(meters - $0) * 0.12) }
        return 500 + (onHill.max() ?? 0)
    }

    private static let course = Course(
        points: (0...1000).map {
            Course.Point(latitude: 48 + Double($0) * 10 / 111_194.93, longitude: 11)
        }, altitudes: (0...1000).map { height(at: Double($0) * 10) })

    private enum Source: CaseIterable {
        /// A satellite's altitude, which drifts.
        case satellite
        /// A watch's own, of its barometer.
        case watch
    }

    /// The climb of a run over the hills at 3 m/s, which leaves them to the east at `leavesAt`
    /// meters.
    private static func climb(
        _ source: Source, _ course: Course?, leavesAt: Double = .infinity
    ) throws -> Double {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        pipeline.apply(route: course.map { CourseRoute($0) }, at: start, into: &events)
        var random = CourseRandom(state: 5)
        var drift = 0.0
        for second in 0..<3330 {
            let meters = Double(second) * 3
            drift += -drift / 120 + Double.random(in: -1.4...1.4, using: &random)
            let noise =
                source == .satellite ? drift : Double.random(in: -0.1...0.1, using: &random)
            let (north, east) = (min(meters, leavesAt), max(0, meters - leavesAt))
            let location = try Location(
                latitude: 48 + north / 111_194.93,
                longitude: 11 + east / (111_194.93 * 0.669_13),
                altitude: height(at: meters) + noise,
                horizontalAccuracy: source == .satellite ? 4 : nil)
            pipeline.apply(
                .location(location), at: start.advanced(bySeconds: Double(second)),
                into: &events)
        }
        return try #require(pipeline.metrics.elevationGainMeters)
    }

    @Test func `A satellite's drift is no climb where the course has altitudes`() throws {
        let alone = try Self.climb(.satellite, nil)
        let onCourse = try Self.climb(.satellite, Self.course)
        #expect(abs(onCourse - 240) < 12, "\(onCourse)")
        #expect(abs(alone - 240) > 3 * abs(onCourse - 240), "\(alone)")
    }

    @Test func `A barometer's altitude counts on a course, too`() throws {
        let flat = Course(
            points: Self.course.points, altitudes: Self.course.points.map { _ in 500 })
        #expect(abs(try Self.climb(.watch, flat) - 240) < 12)
        #expect(abs(try Self.climb(.watch, nil) - 240) < 12)
    }

    @Test(arguments: [2800.0, 5000])
    func `What the course counted is not counted again off it`(leavesAt: Double) throws {
        let gain = try Self.climb(.satellite, Self.course, leavesAt: leavesAt)
        let alone = try Self.climb(.satellite, nil, leavesAt: leavesAt)
        #expect(gain > 180 && gain < alone + 15, "\(gain) \(alone)")
    }
}
