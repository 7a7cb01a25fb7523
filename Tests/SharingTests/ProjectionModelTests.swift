import Foundation
import SensorModel
import Testing

@testable import Sharing

/// A projection of generated runs, compared with a direct implementation of the rule.
@Suite struct ProjectionModelTests {
    /// 10,000 runs with PULSECAST_LONG.
    private static let seeds: Range<UInt64> =
        0..<(ProcessInfo.processInfo.environment["PULSECAST_LONG"] == nil ? 40 : 400)
    private static let runsPerSeed = 25

    /// A run with the owner's privacy settings.
    struct Run {
        var points: [Track.Point?]
        var settings: PrivacySettings
        var home: Track.Point
        var isOnTreadmill: Bool
    }

    /// The rule's result for one second, totals counted from the session's beginning.
    struct Expected {
        var isShown: Bool
        var distanceMeters = 0.0
        var elapsedSeconds = 0.0
    }

    /// The start of the track that a second belongs to.
    struct Taken {
        var landing: Int
        /// Whether the run may have begun there.
        var isStart: Bool
        var isTrusted: Bool
    }

    enum Shape: CaseIterable {
        case outAndBack, loop, wanderer, stopsAtHome, treadmill, lateFix
    }

    static func run(_ generator: inout SeededGenerator) -> Run {
        let home = Track.randomPlace(&generator)
        let count = Int.random(in: 60...500, using: &generator)
        let shape = Shape.allCases.randomElement(using: &generator) ?? .loop
        let heading = Double.random(in: 0..<(2 * .pi), using: &generator)
        let step = Double.random(in: 4...20, using: &generator)
        func line(_ way: Double) -> Track.Point {
            home.moved(east: way * cos(heading), north: way * sin(heading))
        }
        var points: [Track.Point?]
        switch shape {
        case .outAndBack, .treadmill, .lateFix:
            points = (0..<count).map { line(step * Double(min($0, count - $0))) }
            if shape == .treadmill { points = points.map { _ in nil } }
            if shape == .lateFix {
                for index in 0..<min(30, count) { points[index] = nil }
            }
        case .loop:
            let radius = step * Double(count) / (2 * .pi)
            points = (0..<count).map { index in
                let turn = 2 * .pi * Double(index) / Double(count)
                return home.moved(
                    east: radius * (cos(turn + heading) - cos(heading)),
                    north: radius * (sin(turn + heading) - sin(heading)))
            }
        case .wanderer:
            points =
                Track.random(
                    from: line(Double.random(in: 0...2000, using: &generator)), count: count,
                    stepMeters: step, &generator
                ).points
        case .stopsAtHome:
            points = (0..<count).map { line(step * Double(count / 4) * abs(sin(Double($0) / 40))) }
        }
        return Run(
            points: points, settings: settings(around: home, &generator), home: home,
            isOnTreadmill: .random(using: &generator))
    }

    private static func settings(
        around home: Track.Point, _ generator: inout SeededGenerator
    ) -> PrivacySettings {
        var zones: [PrivacyZone] = []
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            let place = home.moved(
                east: .random(in: -1500...1500, using: &generator),
                north: .random(in: -1500...1500, using: &generator))
            zones.append(
                Track.zone(
                    around: zones.isEmpty ? home : place,
                    radius: .random(in: 50...600, using: &generator)))
        }
        let start = Bool.random(using: &generator) || zones.isEmpty
        return PrivacySettings(
            zones: zones,
            trimStartMeters: start ? .random(in: 50...500, using: &generator) : 0,
            trimFinishMeters: 0, salt: generator.next())
    }

    static func events(of run: Run) -> [StreamEvent] {
        run.points.enumerated().map { SessionProjectionTests.metrics($0.offset, at: $0.element) }
    }

    /// For each second, the start of its track and whether the track went 100 m from there, by the
    /// rule with the whole run at hand.
    static func tracks(_ points: [Track.Point?]) -> [Taken?] {
        let places = points.indices.filter { index in
            guard let point = points[index] else { return false }
            guard let before = points[..<index].last(where: { $0 != nil }) ?? nil else {
                return true
            }
            return point.latitude != before.latitude || point.longitude != before.longitude
        }
        var landings: [(second: Int, isStart: Bool)] = []
        var (steady, isSettled) = (0, false)
        for (number, second) in places.enumerated() {
            guard number > 0, let here = points[second], let there = points[places[number - 1]]
            else {
                landings.append((second, true))
                continue
            }
            let seconds = Double(second - places[number - 1])
            let before = (max(1, number - 8)..<max(1, number)).map {
                Double(places[$0] - places[$0 - 1])
            }
            let usual = before.sorted(by: >).dropFirst().first ?? 0
            let isHole = seconds > max(30, min(3 * usual, 300))
            let meters = here.meters(to: there)
            let isRunner = meters <= max(50, 6 * seconds)
            guard meters > max(25, isHole ? 0 : 15 * seconds) else {
                steady = isRunner ? steady + 1 : 0
                let start = points[landings[landings.count - 1].second] ?? here
                if steady >= 60, here.meters(to: start) >= 300 { isSettled = true }
                continue
            }
            isSettled = isSettled && seconds <= 600 && isRunner
            steady = 0
            landings.append((second, !isSettled))
        }
        return points.indices.map { second in
            guard points[second] != nil,
                let (landing, isStart) = landings.last(where: { $0.second <= second })
            else { return nil }
            return Taken(
                landing: landing, isStart: isStart,
                isTrusted: isFar(100, points, from: landing, to: second))
        }
    }

    private static func isFar(
        _ meters: Double, _ points: [Track.Point?], from landing: Int, to second: Int
    ) -> Bool {
        guard let start = points[landing] else { return false }
        return points[landing...second].contains {
            $0.map { $0.meters(to: start) >= meters } ?? false
        }
    }

    /// The rule, second by second: a second counts if it and the one before are shown. The seconds
    /// since a track's start count if the track never was in a hidden place.
    static func expected(_ run: Run) -> [Expected] {
        var circles = run.settings.zones.map {
            HiddenCircle(
                meters: $0.radiusMeters, aroundLatitude: $0.latitude, longitude: $0.longitude,
                salt: run.settings.salt)
        }
        let tracks = tracks(run.points)
        var (isHidden, hasFix, wasInView) = (true, false, false)
        var starts: [Track.Point] = []
        var inside: Set<Int> = []
        var expected: [Expected] = []
        let near = near(of: run)
        for (second, point) in run.points.enumerated() {
            if let point, let track = tracks[second] {
                if track.landing == second, track.isStart, !wasInView,
                    run.settings.trimStartMeters > 0,
                    !starts.contains(where: { $0.meters(to: point) < 25 })
                {
                    starts.append(point)
                    circles.append(
                        HiddenCircle(
                            meters: run.settings.trimStartMeters,
                            aroundLatitude: point.latitude, longitude: point.longitude,
                            salt: run.settings.salt))
                }
                hasFix = true
                let isInside =
                    starts.count > 16
                    || circles.contains {
                        $0.contains(latitude: point.latitude, longitude: point.longitude)
                    }
                if isInside { inside.insert(second) }
                isHidden = isInside || (isHidden && !track.isTrusted)
                if !isHidden { wasInView = true }
            } else if !hasFix {
                isHidden = second <= 300 || !run.isOnTreadmill
            }
            expected.append(
                next(
                    second, isShown: !isHidden && !near.contains(second), expected, tracks
                ) {
                    inside.contains($0) || near.contains($0)
                })
        }
        return expected
    }

    private static func next(
        _ second: Int, isShown: Bool, _ expected: [Expected],
        _ tracks: [Taken?], isHiddenPlace: (Int) -> Bool
    ) -> Expected {
        var now = Expected(isShown: isShown)
        guard let before = expected.last else { return now }
        now.distanceMeters = before.distanceMeters
        now.elapsedSeconds = before.elapsedSeconds
        guard isShown else { return now }
        var seconds = before.isShown ? 1.0 : 0
        if !before.isShown, let landing = tracks[second]?.landing,
            !(landing...second).contains(where: isHiddenPlace)
        {
            seconds = Double(second - landing)
        }
        now.distanceMeters += 3 * seconds
        now.elapsedSeconds += seconds
        return now
    }

    private static func check(_ shown: [ShownEvent], against expected: [Expected]) -> String? {
        var told: Set<Int> = []
        for event in shown {
            let index = Int(event.offset.rawValue) / 10 - 1
            guard event.offset.rawValue % 10 == 0 else { continue }  // ends a view
            let wanted = expected[index]
            switch event.event.kind {
            case .split:
                guard wanted.isShown else { return "a split of \(index), which is hidden" }
                told.insert(index)
            case .metrics(let metrics):
                let enters = index > 0 && expected[index - 1].isShown && !wanted.isShown
                guard wanted.isShown || enters else { return "\(index) is hidden" }
                guard (metrics.state == .waiting) == enters else { return "state of \(index)" }
                guard !enters || metrics.position == nil else { return "position of \(index)" }
                guard abs((metrics.distanceMeters ?? 0) - wanted.distanceMeters) < 1e-6,
                    abs(metrics.elapsedSeconds - wanted.elapsedSeconds) < 1e-6
                else { return "totals of \(index): \(metrics.distanceMeters ?? 0), \(wanted)" }
                told.insert(index)
            default: return "an event that nobody recorded"
            }
        }
        for (index, wanted) in expected.enumerated() where wanted.isShown {
            guard told.contains(index) else { return "\(index) is missing" }
        }
        return nil
    }

    @Test(arguments: seeds)
    func `Of every run just that is shown which the rule says`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed &* 0x9E37)
        for number in 0..<Self.runsPerSeed {
            let run = Self.run(&generator)
            let rule = ProjectionRule(run.settings)
            let shown = SessionProjectionTests.project(
                Self.events(of: run), rule, until: Fixture.time(100_000),
                onTreadmill: run.isOnTreadmill)
            let difference = Self.check(shown, against: Self.expected(run))
            #expect(difference == nil, "seed \(seed), run \(number)")
        }
    }

    /// The seconds with a known place that the runner did not leave in time.
    private static func near(of run: Run) -> Set<Int> {
        guard run.settings.trimFinishMeters > 0 else { return [] }
        let circles = run.points.map { point in
            point.map {
                HiddenCircle(
                    meters: run.settings.trimFinishMeters, aroundLatitude: $0.latitude,
                    longitude: $0.longitude, salt: run.settings.salt)
            }
        }
        let tracks = tracks(run.points)
        var place: Track.Point?
        var near: Set<Int> = []
        for (second, point) in run.points.enumerated() {
            place = point ?? place
            guard let place else { continue }
            let soon = circles.indices[second...].prefix(Int(run.settings.finishSecondsLate ?? 0))
            // Leaving a place takes two different positions in a row.
            var before: Track.Point?
            let isOutside = soon.compactMap { later -> Bool? in
                guard let circle = circles[later], let here = run.points[later], here != before
                else { return nil }
                before = here
                return tracks[later]?.isTrusted == true
                    && !circle.contains(latitude: place.latitude, longitude: place.longitude)
            }
            let isLeft = zip(isOutside, isOutside.dropFirst()).contains { $0 && $1 }
            if !isLeft { near.insert(second) }
        }
        return near
    }

    @Test(arguments: seeds)
    func `With a trimmed finish just that is shown which the rule says`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed &* 0x79B9)
        for number in 0..<Self.runsPerSeed / 5 {
            var run = Self.run(&generator)
            run.settings.trimFinishMeters = .random(in: 50...300, using: &generator)
            run.settings.finishSecondsLate = Double(Int.random(in: 30...200, using: &generator))
            let rule = ProjectionRule(run.settings)
            let shown = SessionProjectionTests.project(
                Self.events(of: run), rule, until: Fixture.time(100_000),
                onTreadmill: run.isOnTreadmill)
            let difference = Self.check(shown, against: Self.expected(run))
            #expect(difference == nil, "seed \(seed), run \(number)")
        }
    }

    @Test(arguments: seeds)
    func `Whoever comes late, with any scope and delay, sees what live viewers see`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed &* 0xBF58)
        for number in 0..<4 {
            let run = Self.run(&generator)
            var settings = run.settings
            settings.trimFinishMeters = Bool.random(using: &generator) ? 100 : 0
            settings.finishSecondsLate = 60
            let scope = Scope(rawValue: .random(in: 1...7, using: &generator))
            let delay = Bool.random(using: &generator) ? 0 : 30
            var share = Fixture.share(scope: scope, delaySeconds: delay)
            share.isBesidePositions = Bool.random(using: &generator)
            let rule = ProjectionRule(share, privacy: settings)
            let events = Self.events(of: run)
            var views = SessionViews(session: Fixture.session, epoch: 1, privacy: settings)
            views.note(.beginning)
            views.note(.profile(isOnTreadmill: run.isOnTreadmill))
            var live = ShareView(share, cursor: Fixture.cursor(0), at: Fixture.start)
            let asked = Int.random(in: 0..<events.count, using: &generator)
            for (index, event) in events[...asked].enumerated() {
                let offset = RecordOffset(rawValue: UInt64(10 * index + 10))
                let updates = views.take(event, at: offset, arrival: event.deviceTime)
                let own =
                    share.hidesPlaces
                    ? updates.hiding ?? []
                    : [
                        SessionUpdates.Dated(
                            update: updates.everything, arrival: event.deviceTime)
                    ]
                for dated in own { _ = live.take(dated.update, at: dated.arrival) }
                _ = live.releaseAll(at: event.deviceTime)
            }
            let now = events[asked].deviceTime
            let shown = SessionProjectionTests.project(
                Array(events[...asked]), rule, onTreadmill: run.isOnTreadmill
            ).filter { $0.arrival <= now.advanced(bySeconds: -Double(delay)) }
            var fields = SessionFields(session: Fixture.session, epoch: 1)
            for event in shown { _ = fields.take(event.event, at: event.offset) }
            var late = ShareView(
                Fixture.share(scope: scope), cursor: Fixture.cursor(0), at: Fixture.start)
            if !shown.isEmpty { _ = late.take(fields.everything, at: now) }
            let name = Comment(
                "seed \(seed), run \(number), scope \(scope.rawValue), delay \(delay)")
            #expect(
                Fixture.text(SnapshotEncoder.object(live.snapshot))
                    == Fixture.text(SnapshotEncoder.object(late.snapshot)), name)
        }
    }
}
