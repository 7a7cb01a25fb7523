import Glibc
import SensorModel
import Testing

@testable import Processing

/// Frames that were lost and come late: their distance, and the splits that they change.
@Suite struct LateFixTests {
    private static let speed = 3.0

    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    /// A position on a square of 180 m, where a line over a corner is far shorter than the path.
    private func location(_ second: Int) throws -> Location {
        let along = (Self.speed * Double(second)).truncatingRemainder(dividingBy: 720)
        let part = along.truncatingRemainder(dividingBy: 180)
        let (east, north) =
            switch Int(along / 180) {
            case 0: (part, 0.0)
            case 1: (180, part)
            case 2: (180 - part, 180)
            default: (0, 180 - part)
            }
        let meter = 180 / (Double.pi * Geodesy.earthRadiusMeters)
        return try Location(
            latitude: 48 + north * meter, longitude: 11 + east * meter / cos(48 * Double.pi / 180),
            horizontalAccuracy: 4, speed: Self.speed)
    }

    private struct Run {
        var pipeline = SessionPipeline(profile: RunnerProfile())
        var events: [StreamEvent] = []

        var corrections: [Split] {
            events.compactMap { event in
                if case .correction(.split(let split)) = event.kind { split } else { nil }
            }
        }

        var splits: [Split] {
            events.compactMap { if case .split(let split) = $0.kind { split } else { nil } }
        }

        /// The splits that a viewer has in the end.
        var final: [Split] {
            splits.map { split in
                corrections.last { $0.unit == split.unit && $0.number == split.number } ?? split
            }
        }

        var distances: [Double] {
            events.compactMap { event in
                if case .metrics(let metrics) = event.kind { metrics.distanceMeters } else { nil }
            }
        }
    }

    /// Runs with the fixes of the seconds `lost` arriving at `comeAt`, or never.
    private func run(
        seconds: Int, lost: Range<Int>? = nil, comeAt: Int? = nil, backwards: Bool = false
    ) throws -> Run {
        var run = Run()
        for second in 0...seconds {
            if second == lost?.upperBound { run.pipeline.noteLostFrames() }
            if second == comeAt, let lost {
                let order = backwards ? Array(lost.reversed()) : Array(lost)
                for late in order {
                    run.pipeline.apply(
                        location: try location(late), at: at(Double(late)), late: true,
                        into: &run.events)
                }
            }
            if lost?.contains(second) == true { continue }
            run.pipeline.apply(
                location: try location(second), at: at(Double(second)), into: &run.events)
        }
        return run
    }

    @Test(arguments: [(350, false), (350, true), (460, false), (900, true)])
    func `A late fix corrects the splits that it changes`(comeAt: Int, backwards: Bool) throws {
        let whole = try run(seconds: 1000)
        let gap = try run(seconds: 1000, lost: 280..<340)
        let late = try run(seconds: 1000, lost: 280..<340, comeAt: comeAt, backwards: backwards)
        #expect(whole.corrections.isEmpty && gap.corrections.isEmpty)
        let lostMeters = (whole.distances.last ?? 0) - (gap.distances.last ?? 0)
        #expect(lostMeters > 30, "the gap cuts a corner")
        #expect(abs((whole.distances.last ?? 0) - (late.distances.last ?? 0)) < 6)
        #expect(!late.corrections.isEmpty)
        // A kilometer ends within the hole, at 333 s; one begins there.
        let told = late.final.filter { $0.unit == .kilometer }
        let known = whole.splits.filter { $0.unit == .kilometer }
        #expect(told.map(\.number) == known.map(\.number))
        for (split, truth) in zip(told, known) {
            #expect(abs(split.seconds - truth.seconds) < 1, "\(split) \(truth)")
        }
        #expect(zip(late.distances, late.distances.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func `Two minutes that come late are kept evenly, and tell the way`() throws {
        let whole = try run(seconds: 900)
        let gap = try run(seconds: 900, lost: 300..<420)
        let late = try run(seconds: 900, lost: 300..<420, comeAt: 600)
        let meters = [whole, gap, late].map { $0.distances.last ?? 0 }
        #expect(meters[0] - meters[1] > 80)
        #expect(abs(meters[2] - meters[0]) < 8, "\(meters)")
    }

    @Test func `Fixes that fit the line change nothing that was told`() throws {
        // Seconds 70 to 100 lie on one side of the square.
        let late = try run(seconds: 600, lost: 70..<100, comeAt: 400)
        let gap = try run(seconds: 600, lost: 70..<100)
        for (split, told) in zip(late.final, gap.splits) {
            #expect(abs(split.seconds - told.seconds) < 1)
        }
        #expect(abs((late.distances.last ?? 0) - (gap.distances.last ?? 0)) < 2)
    }

    @Test func `A late fix that is nowhere near is no way`() throws {
        var run = try run(seconds: 500, lost: 300..<340)
        let before = run.pipeline.metrics.distanceMeters
        let far = try Location(
            latitude: 48.1, longitude: 11, horizontalAccuracy: 4, speed: Self.speed)
        run.pipeline.apply(location: far, at: at(320), late: true, into: &run.events)
        #expect(run.pipeline.metrics.distanceMeters == before)
        #expect(run.corrections.isEmpty)
    }

    @Test func `A late fix where nothing was lost changes nothing`() throws {
        var run = try run(seconds: 500)
        let count = run.events.count
        run.pipeline.apply(
            location: try location(200), at: at(200.5), late: true, into: &run.events)
        #expect(run.events.count == count)
    }

    @Test func `The same fix late twice counts once`() throws {
        var run = try run(seconds: 500, lost: 280..<340, comeAt: 450)
        let before = run.pipeline.metrics.distanceMeters
        for second in 280..<340 {
            run.pipeline.apply(
                location: try location(second), at: at(Double(second)), late: true,
                into: &run.events)
        }
        #expect(run.pipeline.metrics.distanceMeters == before)
    }

    @Test func `A late fix that is the newest is taken as any other`() throws {
        var run = Run()
        for second in 0..<100 {
            run.pipeline.apply(
                location: try location(second), at: at(Double(second)), into: &run.events)
        }
        let sample = try HeartRateSample(beatsPerMinute: 140)
        run.pipeline.apply(heartRate: sample, at: at(103), into: &run.events)
        let before = try #require(run.pipeline.metrics.distanceMeters)
        run.pipeline.apply(location: try location(101), at: at(101), late: true, into: &run.events)
        #expect(try #require(run.pipeline.metrics.distanceMeters) > before + 4)
    }
}
