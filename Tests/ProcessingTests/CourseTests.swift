import SensorModel
import Testing

@testable import Processing

/// Sessions along 4 km straight north, with a fix every second, 4 m apart.
@Suite struct CourseTests {
    private static let degree = 111_194.93

    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    private func course(_ checkpoints: [(name: String, meters: Double)]) -> Course {
        Course(
            points: (0...40).map {
                Course.Point(latitude: 48 + Double($0) * 100 / Self.degree, longitude: 11)
            },
            checkpoints: checkpoints.map {
                .init(name: $0.name, latitude: 48 + $0.meters / Self.degree, longitude: 11)
            })
    }

    /// Runs with each course from its second on; the session begins at `meters`.
    private func run(
        _ courses: [(second: Int, course: Course?)], from meters: Double = 0
    ) throws -> [StreamEvent] {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []
        for second in 0...800 {
            for (_, course) in courses.filter({ $0.second == second }) {
                let route = course.map { CourseRoute($0) }
                pipeline.apply(route: route, at: at(Double(second)), into: &events)
            }
            let fix = try Location(
                latitude: 48 + (meters + 4 * Double(second)) / Self.degree, longitude: 11,
                horizontalAccuracy: 4)
            pipeline.apply(location: fix, at: at(Double(second)), into: &events)
        }
        return events
    }

    private func reached(
        _ events: [StreamEvent]
    ) -> [(time: Timestamp, checkpoint: CheckpointReached)] {
        events.compactMap { event in
            if case .checkpointReached(let reached) = event.kind {
                (event.deviceTime, reached)
            } else {
                nil
            }
        }
    }

    private let three = [("bridge", 1000.0), ("tower", 2000), ("finish", 3000)]

    @Test func `Each checkpoint is told once, at the second in which it is reached`() throws {
        let found = reached(try run([(0, course(three))]))
        #expect(found.map(\.checkpoint.checkpoint) == ["bridge", "tower", "finish"])
        // 150 m before the mark at 4 m/s the time is 212.5 s; the others are alike.
        #expect(found.map(\.checkpoint.elapsedSeconds) == [213, 463, 713])
        #expect(found.map(\.time) == [at(213), at(463), at(713)])
        for (_, checkpoint) in found {
            let meters = try #require(checkpoint.distanceMeters)
            #expect(abs(meters - 4 * checkpoint.elapsedSeconds) < 10)
        }
    }

    @Test func `All checkpoints ahead are predicted, and none are left after the last`() throws {
        let shown = try run([(0, course(three))]).compactMap { event -> Metrics? in
            if case .metrics(let metrics) = event.kind { metrics } else { nil }
        }
        func ahead(_ second: Double) throws -> [CheckpointAhead] {
            let metrics = try #require(shown.last { $0.elapsedSeconds == second })
            return try #require(metrics.course).ahead
        }
        for (second, left) in [(100.0, 3), (300, 2), (600, 1), (720, 0)] {
            let found = try ahead(second)
            #expect(found.map(\.checkpoint) == three.suffix(left).map(\.0))
            for (checkpoint, (_, meters)) in zip(found, three.suffix(left)) {
                let predicted = try #require(checkpoint.predictedSeconds)
                #expect(abs(predicted - meters / 4) < 0.01 * meters / 4)
            }
        }
        let last = try #require(shown.last?.course)
        #expect(last.checkpoint == nil && last.predictedSeconds == nil && last.later.isEmpty)
    }

    @Test func `What lies behind the first fix on the course is nobody's news`() throws {
        let found = reached(try run([(0, course(three))], from: 1400))
        #expect(found.map(\.checkpoint.checkpoint) == ["tower", "finish"])
        #expect(found.map(\.checkpoint.elapsedSeconds) == [113, 363])
    }

    @Test func `A course that is sent again, or changed, tells no checkpoint twice`() throws {
        let first = course(three)
        let changed = course(three + [("hill", 2500)])
        let found = reached(try run([(0, first), (220, first), (221, changed)]))
        #expect(
            found.map(\.checkpoint.checkpoint) == ["bridge", "tower", "hill", "finish"])
        #expect(found.map(\.checkpoint.elapsedSeconds) == [213, 463, 588, 713])
        let taken = reached(try run([(0, first), (300, nil)]))
        #expect(taken.map(\.checkpoint.checkpoint) == ["bridge"])
    }

    @Test func `Long names are predicted as far as a record should hold them`() throws {
        let names = (0..<10).map { "\($0)" + String(repeating: "x", count: 255) }
        let long = names.enumerated().map { ($1, 200.0 * Double($0 + 1)) }
        let events = try run([(0, course(long))])
        let ahead = events.compactMap { event -> Int? in
            guard case .metrics(let metrics) = event.kind, let course = metrics.course,
                course.checkpoint != nil
            else { return nil }
            return 1 + course.later.count
        }
        #expect(ahead.max() == 2 && ahead.min() == 1)
    }

    @Test func `No more than twenty are predicted`() throws {
        let many = course((1...30).map { ("\($0)", 100 * Double($0)) })
        var tracker = try #require(CourseTracker(CourseRoute(many)))
        _ = tracker.update(try Location(latitude: 48, longitude: 11))
        let progress = tracker.progress(elapsedSeconds: 1, metersPerSecond: nil)
        #expect(progress.ahead.map(\.checkpoint) == (2...21).map(String.init))
        #expect(progress.ahead.allSatisfy { $0.predictedSeconds == nil })
        let later = tracker.progress(elapsedSeconds: 1, metersPerSecond: 3).later
        #expect(later.count == 19)
        let last = try #require(later.last?.predictedSeconds)
        #expect(last == last.rounded() && abs(last - 701) < 1)
    }
}
