import Glibc
import SensorModel
import Testing

@testable import Processing

@Suite struct AutoPauseTests {
    private static let start = Timestamp(microseconds: 1_763_700_000_000_000)

    private func at(_ seconds: Double) -> Timestamp { Self.start.advanced(bySeconds: seconds) }

    /// North along a meridian.
    private func place(_ meters: Double, speed: Double?) throws -> Location {
        try Location(
            latitude: 48 + meters / 111_194.93, longitude: 11, horizontalAccuracy: 4, speed: speed)
    }

    /// Feeds fixes once a second at these speeds; returns transitions with the second of each.
    private func run(
        _ speeds: [Double], doppler: [Double?]? = nil, from autoPause: inout AutoPause
    ) throws -> [(second: Int, transition: AutoPause.Transition)] {
        var gate = FixGate()
        var meters = 0.0
        var transitions: [(Int, AutoPause.Transition)] = []
        for (second, speed) in speeds.enumerated() {
            meters += speed
            let fix = try place(meters, speed: doppler.map { $0[second] } ?? speed)
            guard case .step(let step) = gate.admit(fix, at: at(Double(second))) else { continue }
            if let transition = autoPause.update(step: step) {
                transitions.append((second, transition))
            }
        }
        return transitions
    }

    @Test func `A stop on the map shows within 6 s and is dated back to the first slow step`()
        throws
    {
        var autoPause = AutoPause()
        let speeds = [Double](repeating: 3, count: 10) + [Double](repeating: 0.1, count: 8)
        let seen = try run(speeds, from: &autoPause)
        #expect(seen.count == 1)
        #expect(seen.first?.transition == .paused(since: at(9)))
        #expect((seen.first?.second ?? 99) <= 10 + 6)
    }

    @Test func `Setting off shows with the first fast fix`() throws {
        var autoPause = AutoPause()
        let speeds =
            [Double](repeating: 3, count: 10) + [Double](repeating: 0, count: 10) + [2.5, 3, 3]
        let seen = try run(speeds, from: &autoPause)
        #expect(seen.last?.second == 20)
        #expect(seen.last?.transition == .resumed(since: at(19)))
    }

    @Test func `Doppler alone at zero is no stop while the track goes on`() throws {
        var autoPause = AutoPause()
        let doppler: [Double?] = [3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 3]
        let seen = try run(
            [Double](repeating: 3, count: 11), doppler: doppler, from: &autoPause)
        #expect(seen.isEmpty)
    }

    // MARK: Slow hikes

    /// Feeds a watch's fixes once a second: no accuracy, and a speed of 0 below walking speed.
    private func hike(
        _ speeds: [Double], doppler: Double = 0, from autoPause: inout AutoPause
    ) throws -> [(second: Int, transition: AutoPause.Transition, metersBack: Double)] {
        var gate = FixGate()
        var meters = 0.0
        var seen: [(Int, AutoPause.Transition, Double)] = []
        for (second, speed) in speeds.enumerated() {
            meters += speed
            let fix = try Location(
                latitude: 48 + meters / 111_194.93, longitude: 11,
                speed: speed < 0.8 ? doppler : speed)
            guard case .step(let step) = gate.admit(fix, at: at(Double(second))) else { continue }
            if let transition = autoPause.update(step: step) {
                seen.append((second, transition, autoPause.metersBack))
            }
        }
        return seen
    }

    @Test(arguments: [0.35, 0.5, 0.7])
    func `A slow hike whose speed reads zero pauses once at most, and gets its meters back`(
        speed: Double
    ) throws {
        var autoPause = AutoPause()
        let seen = try hike([Double](repeating: speed, count: 300), from: &autoPause)
        #expect(seen.count <= 2)
        #expect(!autoPause.isPaused)
        guard let last = seen.last, case .paused(let since)? = seen.first?.transition else {
            return
        }
        // The newest step is left out, because it is measured again.
        let walked = speed * (at(Double(last.second)).seconds(since: since) - 1)
        #expect(abs(last.metersBack - walked) <= 0.2 * walked)
    }

    @Test func `A hiker who stands after a slow walk is paused until the place is left`() throws {
        var autoPause = AutoPause()
        let slow = [Double](repeating: 0.5, count: 60)
        let stop = [Double](repeating: 0, count: 40)
        let seen = try hike(slow + stop + slow, from: &autoPause)
        let stops = seen.compactMap { entry -> Timestamp? in
            if case .paused(let since) = entry.transition { since } else { nil }
        }
        let ends = seen.compactMap { entry -> Timestamp? in
            if case .resumed(let since) = entry.transition { since } else { nil }
        }
        let start = try #require(stops.last)
        let end = try #require(ends.last)
        #expect(end > start)
        #expect(abs(start.seconds(since: at(60))) <= 10)
        #expect(abs(end.seconds(since: at(100))) <= 10)
    }

    @Test func `A place that a receiver wanders around is not left`() {
        var place = StandingPlace(at: .zero, at(0))
        for second in 1...600 {
            let angle = Double(second) / 10
            let point = 1.8 * SIMD2(cos(angle), sin(angle))
            let hasLeft = place.add(point, noise: 2, at: at(Double(second)))
            #expect(!hasLeft)
        }
        let noise = StandingPlace.noiseMeters(accuracy: 7, scatter: 0)
        let isNear = !place.add(SIMD2(20, 0), noise: noise, at: at(601))
        let isFar = place.add(SIMD2(24, 0), noise: noise, at: at(602))
        #expect(isNear && isFar)
    }

    @Test func `A still body is a stop after a second, dated to its first`() {
        var autoPause = AutoPause()
        let still = MotionActivity(kind: .still, since: at(10))
        #expect(autoPause.update(activity: still, at: at(10.5)) == nil)
        #expect(autoPause.isSuspecting)
        #expect(autoPause.stillDeadline == at(11))
        #expect(autoPause.update(activity: still, at: at(11)) == .paused(since: at(10)))
    }

    @Test func `Steps end a stop where they began`() {
        var autoPause = AutoPause()
        _ = autoPause.update(activity: .init(kind: .still, since: at(10)), at: at(13))
        let walking = MotionActivity(kind: .walking, since: at(20))
        #expect(autoPause.update(activity: walking, at: at(21)) == .resumed(since: at(20)))
    }

    @Test func `Feet that move are no stop whatever the map says`() throws {
        var autoPause = AutoPause()
        for second in 0..<20 {
            let running = MotionActivity(kind: .running, since: at(0))
            #expect(autoPause.update(activity: running, at: at(Double(second))) == nil)
        }
        var gate = FixGate()
        for second in 0..<20 {
            let running = MotionActivity(kind: .running, since: at(0))
            _ = autoPause.update(activity: running, at: at(Double(second)))
            let fix = try place(0.1 * Double(second), speed: 0)
            guard case .step(let step) = gate.admit(fix, at: at(Double(second))) else { continue }
            #expect(autoPause.update(step: step) == nil)
        }
    }

    @Test func `A still sensor that travels rides along`() throws {
        var autoPause = AutoPause()
        _ = try run([Double](repeating: 4, count: 10), from: &autoPause)
        let still = MotionActivity(kind: .still, since: at(5))
        #expect(autoPause.update(activity: still, at: at(9.5)) == nil)
        #expect(!autoPause.isPaused)
    }

    @Test(arguments: [(2.0, true), (60.0, false)])
    func `A hole of the positions was a stop if hardly a meter was made`(
        meters: Double, wasStop: Bool
    ) throws {
        var autoPause = AutoPause()
        var gate = FixGate()
        var seen: [AutoPause.Transition] = []
        for second in [0.0, 1, 2, 3, 4, 24, 25] {
            let way = second < 10 ? 3 * second : 12 + meters + 3 * (second - 24)
            let fix = try place(way, speed: 3)
            guard case .step(let step) = gate.admit(fix, at: at(second)) else { continue }
            if let transition = autoPause.update(step: step) { seen.append(transition) }
        }
        #expect(seen == (wasStop ? [.wasPaused(from: at(4), to: at(24))] : []))
    }

    @Test func `A source that falls silent while slow is standing`() throws {
        var autoPause = AutoPause()
        _ = try run([3, 3, 3, 3, 0.2, 0.1], from: &autoPause)
        #expect(autoPause.tick(at: at(6)) == nil)
        #expect(autoPause.tick(at: at(10)) == .paused(since: at(3)))
    }
}

@Suite struct ReferenceAutoPauseTests {
    private func at(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_763_700_000_000_000).advanced(bySeconds: seconds)
    }

    @Test func `Slower than a half for five seconds of event time pauses, point eight resumes`() {
        var pause = ReferenceAutoPause()
        #expect(pause.update(speed: 0.5, at: at(0)) == nil)
        #expect(pause.slowSince == nil, "0.5 m/s is not slow")
        #expect(pause.update(speed: 0.49, at: at(1)) == nil)
        #expect(pause.update(speed: 0.2, at: at(5.9)) == nil)
        #expect(pause.update(speed: 0.2, at: at(6)) == .paused(since: at(1)))
        #expect(pause.update(speed: 0.79, at: at(7)) == nil)
        #expect(pause.update(speed: 0.8, at: at(8)) == .resumed(since: at(8)))
    }

    @Test func `An unknown speed is neither slow nor fast`() {
        var pause = ReferenceAutoPause()
        _ = pause.update(speed: 0.1, at: at(0))
        #expect(pause.update(speed: nil, at: at(3)) == nil)
        #expect(pause.update(speed: 0.1, at: at(6)) == nil)
    }

    @Test func `A runner whose distance filter falls silent pauses too`() {
        var pause = ReferenceAutoPause()
        _ = pause.update(speed: 3, at: at(0))
        #expect(pause.tick(at: at(4)) == nil)
        #expect(pause.tick(at: at(5)) == .paused(since: at(0)))
    }

    @Test func `Fixes that always come 8 s apart are no silence`() {
        var pipeline = SessionPipeline(profile: profile)
        var events: [StreamEvent] = []
        for index in 0..<200 {
            guard let fix = walkingFix(meters: 10 * Double(index)) else { continue }
            pipeline.apply(location: fix, at: at(8 * Double(index)), into: &events)
        }
        #expect(pipeline.metrics.movingSeconds > 0.97 * pipeline.metrics.elapsedSeconds)
        // Without any movement it is a stop.
        for second in 1593..<1640 {
            pipeline.apply(marker: "", at: at(Double(second)), into: &events)
        }
        #expect(pipeline.metrics.autoPaused)
    }

    private var profile: RunnerProfile {
        var profile = RunnerProfile()
        profile.autoPause = .reference
        return profile
    }

    private func walkingFix(meters: Double) -> Location? {
        try? Location(
            latitude: 48 + meters / 111_194.93, longitude: 11, horizontalAccuracy: 4, speed: 1.25)
    }
}
