import Foundation
import SensorModel
import Testing

@testable import Sharing

@Suite struct SessionProjectionTests {
    static let home = Track.Point(latitude: 48.2, longitude: 11.6)

    static func settings(
        _ zones: [PrivacyZone] = [], start: Double = 0, finish: Double = 0,
        showsHeartRate: Bool = false
    ) -> PrivacySettings {
        PrivacySettings(
            zones: zones, trimStartMeters: start, trimFinishMeters: finish, salt: 0x5EED,
            showsHeartRate: showsHeartRate)
    }

    static func zoned(showsHeartRate: Bool = false) -> PrivacySettings {
        settings(
            [Track.zone(around: home, radius: 200)], showsHeartRate: showsHeartRate)
    }

    /// Metrics of a run east at 3 m/s with every field set.
    static func metrics(_ second: Int, at point: Track.Point?) -> StreamEvent {
        var metrics = Fixture.fullMetrics()
        let seconds = Double(second)
        metrics.elapsedSeconds = seconds
        metrics.movingSeconds = seconds
        metrics.pausedSeconds = 0
        metrics.distanceMeters = 3 * seconds
        metrics.distanceUncertaintyMeters = 0.01 * seconds
        metrics.steps = 3 * second
        metrics.elevationGainMeters = 0.1 * seconds
        metrics.elevationLossMeters = 0.05 * seconds
        metrics.zoneSeconds = [0, seconds / 2, seconds / 2, 0, 0]
        metrics.heartRate?.beatsPerMinute = 140
        metrics.averageHeartRate = 140
        metrics.activeAlerts = []
        metrics.position = point.map {
            PositionMetric(
                latitude: $0.latitude, longitude: $0.longitude,
                altitudeMeters: 500 + 0.05 * seconds,
                horizontalAccuracyMeters: 5, courseDegrees: 90, state: .live)
        }
        return Fixture.metricsEvent(seconds, metrics)
    }

    /// Seconds 0 ..< count of that run, from the door and, if it turns, back to it.
    static func run(_ count: Int, turningAt turn: Int? = nil) -> [StreamEvent] {
        (0..<count).map { second in
            let way = min(second, 2 * (turn ?? count) - second)
            return metrics(second, at: home.moved(east: 3 * Double(way), north: 0))
        }
    }

    static func project(
        _ events: [StreamEvent], _ rule: ProjectionRule, until end: Timestamp? = nil,
        onTreadmill: Bool = false
    ) -> [ShownEvent] {
        var projection = SessionProjection(rule)
        projection.note(.beginning)
        projection.note(.profile(isOnTreadmill: onTreadmill))
        var shown: [ShownEvent] = []
        for (index, event) in events.enumerated() {
            projection.take(
                event, at: RecordOffset(rawValue: UInt64(10 * index + 10)),
                arrival: event.deviceTime, into: &shown)
        }
        if let end { projection.advance(to: end, into: &shown) }
        return shown
    }

    static func metrics(in shown: [ShownEvent]) -> [Metrics] {
        shown.compactMap { if case .metrics(let metrics) = $0.event.kind { metrics } else { nil } }
    }

    @Test func `Where nothing is hidden everything is shown as it is`() {
        let events = Self.run(50)
        for rule in [
            ProjectionRule.everything,
            ProjectionRule(
                Fixture.share(scope: [.heartRate, .metrics]), privacy: Self.zoned()),
            ProjectionRule(Fixture.share(scope: .all), privacy: .none),
        ] {
            #expect(rule == .everything)
            #expect(Self.project(events, rule).map(\.event) == events)
        }
    }

    /// Seconds 0 ..< 700 of a run from the door; the receiver is lost from 400 to 560 while the
    /// watch goes on.
    private static func lostRun(_ state: ValueState = .live) -> [StreamEvent] {
        (0..<700).map { second in
            let isLost = (400..<560).contains(second)
            let way = 3 * Double(isLost ? 399 : second)
            var event = metrics(second, at: home.moved(east: 600 + way, north: 0))
            guard isLost, case .metrics(var metrics) = event.kind else { return event }
            metrics.position?.state = .stale
            metrics.state = state
            event.kind = .metrics(metrics)
            return event
        }
    }

    @Test func `A receiver that is lost in view hides the runner until the track is trusted again`()
        throws
    {
        let rule = ProjectionRule(Fixture.share(scope: .all), privacy: Self.zoned())
        let shown = Self.metrics(in: Self.project(Self.lostRun(), rule))
        let waiting = shown.filter { $0.state == .waiting }
        #expect(waiting.count == 1)
        let last = try #require(shown.last)
        let before = try #require(shown.last { $0.position?.state == .stale })
        // A minute without a position is shown; the rest up to the new track's start does not
        // count.
        let atLoss = try #require(shown.first { $0.position?.state == .stale }?.elapsedSeconds)
        #expect(before.elapsedSeconds - atLoss == 59)
        #expect(last.elapsedSeconds - before.elapsedSeconds == 139)
        #expect((last.distanceMeters ?? 0) - (before.distanceMeters ?? 0) == 3 * 139)
    }

    @Test(arguments: [ValueState.stale, .paused])
    func `A watch that tells nothing at all, or pauses, stays in view`(state: ValueState) {
        let rule = ProjectionRule(Fixture.share(scope: .all), privacy: Self.zoned())
        let shown = Self.metrics(in: Self.project(Self.lostRun(state), rule))
        #expect(shown.count { $0.state == .waiting } == 0)
        #expect(shown.count { $0.state == state } == 160)
    }

    @Test func `Totals begin at the first shown point and rest while the runner is hidden`() throws
    {
        let shown = Self.project(Self.run(2000, turningAt: 1000), .hiding(Self.zoned()))
        let metrics = Self.metrics(in: shown)
        let first = try #require(metrics.first)
        #expect(first.position != nil && first.state == .live)
        #expect(first.distanceMeters == 0 && first.elapsedSeconds == 0 && first.steps == 0)
        #expect(first.elevationGainMeters == 0 && first.distanceUncertaintyMeters == nil)
        #expect(first.zoneSeconds.allSatisfy { $0 == 0 })
        let visible = metrics.filter { $0.position != nil }
        let last = try #require(visible.last)
        let seconds = Double(visible.count - 1)
        // Some records of splits replace a second's metrics.
        #expect(abs(last.elapsedSeconds - seconds) < 5)
        #expect(abs((last.distanceMeters ?? 0) - 3 * last.elapsedSeconds) < 1e-6)
        // The last message says that the runner is hidden, with the totals of the last point.
        let resting = try #require(metrics.last)
        #expect(resting.state == .waiting && resting.position == nil)
        #expect(resting.heartRate == nil && resting.speedMetersPerSecond == nil)
        #expect(resting.measured.isEmpty && visible.allSatisfy { !$0.measured.isEmpty })
        #expect(resting.distanceMeters == last.distanceMeters)
        #expect(metrics.count == visible.count + 1)
    }

    @Test func `Of what is computed over the whole session nothing is told`() throws {
        let shown = Self.metrics(in: Self.project(Self.run(600), .hiding(Self.zoned())))
        for metrics in shown {
            #expect(metrics.finishEstimate == nil && metrics.decouplingPercent == nil)
            #expect(metrics.targetZonePercent == nil && metrics.interval == nil)
        }
        let last = try #require(shown.last)
        #expect(abs((last.averageCadence ?? 0) - 180) < 1)
        #expect(abs((last.averageHeartRate ?? 0) - 140) < 1e-6)
    }

    /// A value, or its absence, would tell whether the hidden stretch ended before it was known.
    @Test(arguments: [0.0, 60, 70, 300, 600], [0.0, 1000])
    func `Stress is untold where the runner was hidden, however long`(
        knownAtSeconds: Double, east: Double
    ) {
        let zone = Track.zone(around: Self.home.moved(east: east, north: 0), radius: 200)
        let events = Self.run(900).map { event -> StreamEvent in
            guard case .metrics(var metrics) = event.kind else { return event }
            if metrics.elapsedSeconds < knownAtSeconds { metrics.trainingLoad?.hrTSS = nil }
            return StreamEvent(deviceTime: event.deviceTime, kind: .metrics(metrics))
        }
        let shown = Self.metrics(in: Self.project(events, .hiding(Self.settings([zone]))))
        let loads = shown.compactMap(\.trainingLoad)
        #expect(!loads.isEmpty && loads.allSatisfy { $0.trimp != nil })
        #expect(loads.allSatisfy { $0.hrTSS == nil })
    }

    @Test func `Numbers of shown events rise, whatever happens`() {
        for rule in [
            ProjectionRule.hiding(Self.zoned()), .hiding(Self.settings(finish: 300)),
            .hiding(Self.settings(start: 300, finish: 200)),
        ] {
            let shown = Self.project(
                Self.run(2400, turningAt: 1200), rule, until: Fixture.time(10_000))
            #expect(zip(shown, shown.dropFirst()).allSatisfy { $0.offset < $1.offset })
            #expect(shown.last?.event.kind == .ended)
        }
    }

    @Test func `A runner hidden for long is shown as ended, whenever the session really ends`() {
        let run = Self.run(2000, turningAt: 1000)
        let hidden = Self.project(run, .hiding(Self.zoned()))
        let ends = [2005.0, 2100, 2800, 5000].map { second -> [ShownEvent] in
            var metrics = Metrics()
            metrics.state = .ended
            metrics.elapsedSeconds = second
            let end = [
                StreamEvent(deviceTime: Fixture.time(second), kind: .metrics(metrics)),
                StreamEvent(deviceTime: Fixture.time(second), kind: .ended),
            ]
            return Self.project(run + end, .hiding(Self.zoned()), until: Fixture.time(10_000))
        }
        for shown in ends {
            #expect(shown == ends[0])
            #expect(Array(shown.prefix(hidden.count)) == hidden)
            #expect(shown.count == hidden.count + 2)
            let end = shown.last
            #expect(end?.event.deviceTime == hidden.last?.event.deviceTime)
            #expect(
                end?.arrival
                    == hidden.last?.arrival.advanced(
                        bySeconds: SessionProjection.hiddenSecondsMax))
        }
    }

    /// With a finish held back, records that come into view are minutes old.
    @Test func `A walker who comes into view all the time is not shown as ended`() throws {
        let walk = (0..<5000).map { second in
            Self.metrics(second, at: Self.home.moved(east: 1.2 * Double(second), north: 0))
        }
        let shown = Self.project(walk, .hiding(Self.settings(finish: 300)))
        #expect(!shown.contains { $0.event.kind == .ended })
        let newest = try #require(shown.last).event.deviceTime
        let late = FinishTrim.secondsLate(behind: 300)
        #expect(abs(newest.seconds(since: Fixture.start) - (5000 - late)) < 2)
        #expect(Double(shown.count) > newest.seconds(since: Fixture.start) - 10)
    }

    @Test func `Who comes back into view is live again`() throws {
        let there = Self.run(2000, turningAt: 1000)
        let again = (3000..<4000).map { second in
            Self.metrics(second, at: Self.home.moved(east: 3 * Double(second - 3000), north: 0))
        }
        let shown = Self.project(there + again, .hiding(Self.zoned()))
        #expect(shown.contains { $0.event.kind == .ended })
        let last = try #require(Self.metrics(in: shown).last)
        #expect(last.state == .live && last.position != nil)
        // The hidden part in between does not count.
        #expect(last.elapsedSeconds < 2200)
    }

    @Test func `Help is called for wherever the runner is, and nothing else is told there`() {
        let alerts: [AlertKind] = AlertKind.allCases
        let zone = Track.zone(around: Self.home, radius: 200)
        for settings in [Self.settings([zone]), Self.settings([zone], finish: 300)] {
            let start = [Self.metrics(0, at: Self.home)]
            let raised = alerts.map { kind in
                StreamEvent(
                    deviceTime: Fixture.time(1),
                    kind: .alert(Alert(kind: kind, severity: .emergency, phase: .triggered)))
            }
            let others: [StreamEvent.Kind] = [
                .marker("at home"), .zoneChanged(from: 1, to: 2),
                .sourceChanged(from: nil, to: "a"),
                .lap(Lap(number: 1, seconds: 3, distanceMeters: 9, averageHeartRate: 100)),
                .split(
                    Split(
                        unit: .kilometer, number: 1, seconds: 300, averageHeartRate: nil,
                        elevationMeters: nil)),
                .gap(from: FrameSequence(rawValue: 5), to: FrameSequence(rawValue: 9)),
                .paused(since: Fixture.time(0), automatic: true),
                .checkpointReached(
                    CheckpointReached(checkpoint: "door", elapsedSeconds: 1, distanceMeters: 3)),
            ]
            let events =
                start + raised
                + others.map { StreamEvent(deviceTime: Fixture.time(2), kind: $0) }
            let shown = Self.project(events, .hiding(settings)).map(\.event.kind)
            let safety = raised.map(\.kind).filter(\.isCallForHelp)
            #expect(shown == safety && safety.count == 2)
        }
    }

    @Test(arguments: [false, true])
    func `The heart rate is shown in hiding where the owner says so`(isShown: Bool) {
        let events = (0..<5).map { Self.metrics($0, at: Self.home) }
        let shown = Self.metrics(
            in: Self.project(events, .hiding(Self.zoned(showsHeartRate: isShown))))
        #expect(shown.isEmpty == !isShown)
        for metrics in shown {
            #expect(metrics.heartRate != nil && metrics.state == .waiting)
            #expect(metrics.position == nil && metrics.distanceMeters == nil)
            #expect(metrics.elapsedSeconds == 0 && metrics.zoneSeconds.isEmpty)
        }
    }

    @Test func `On a treadmill nothing is shown for as long as satellites may take`() {
        let limit = Int(HiddenPlaces.secondsWithoutFixMax)
        let events = (0..<limit + 20).map { Self.metrics($0, at: nil) }
        let shown = Self.project(events, .hiding(Self.zoned()), onTreadmill: true)
        #expect(shown.first?.event.deviceTime == Fixture.time(Double(limit + 1)))
        let first = Self.project(
            events + [Self.metrics(limit + 20, at: Self.home)], .hiding(Self.zoned()),
            onTreadmill: true)
        #expect(Self.metrics(in: first).last?.state == .waiting)
    }

    /// A strap or foot pod with its own session, beside an app with positions: its distance and
    /// times would reveal the hidden path.
    @Test(arguments: [("zone", 0.0, 0.0), ("start", 300, 0), ("finish", 0, 300)])
    func `A session without a fix shows nothing, unless the profile says treadmill`(
        what: String, start: Double, finish: Double
    ) {
        let settings = Self.settings(
            what == "zone" ? [Track.zone(around: Self.home, radius: 250)] : [], start: start,
            finish: finish)
        let events = (0..<2000).map { Self.metrics($0, at: nil) }
        let end = Fixture.time(100_000)
        #expect(Self.project(events, .hiding(settings), until: end).isEmpty)
        let inside = Self.project(events, .hiding(settings), until: end, onTreadmill: true)
        #expect(Self.metrics(in: inside).contains { $0.heartRate != nil })
    }

    /// A watch with a lap each kilometer counts hidden parts, so its laps reveal them, except whole
    /// kilometers.
    @Test(arguments: [(0, 0), (4000, 1)])
    func `A lap is shown as recorded, until something is hidden`(east: Int, count: Int) {
        let zone = Track.zone(around: Self.home.moved(east: Double(east), north: 0), radius: 200)
        let laps = [200, 2200, 2300].map { second in
            StreamEvent(
                deviceTime: Fixture.time(second),
                kind: .lap(
                    Lap(
                        number: 4, seconds: 600, distanceMeters: 1800, averageHeartRate: 150)))
        }
        // Out of the zone at home, or through the one on the way.
        var events = Self.run(2400)
        for lap in laps.reversed() {
            let index = events.firstIndex { $0.deviceTime > lap.deviceTime } ?? events.endIndex
            events.insert(lap, at: index)
        }
        let shown = Self.project(events, .hiding(Self.settings([zone])))
        let told = shown.map(\.event).filter { if case .lap = $0.kind { true } else { false } }
        #expect(told == Array(laps.prefix(count)))
        #expect(Self.metrics(in: shown).last?.position != nil)
    }

    @Test(arguments: UInt64(1)...12)
    func `A copy taken anywhere goes on as the whole does`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let zone = Track.zone(around: Self.home, radius: 250)
        let settings = Self.settings(
            Bool.random(using: &generator) ? [zone] : [],
            start: Double.random(in: 0...300, using: &generator),
            finish: Bool.random(using: &generator) ? 150 : 0)
        let rule = ProjectionRule.hiding(settings)
        let track = Track.random(from: Self.home, count: 1500, stepMeters: 4, &generator)
        let events = track.points.enumerated().map { Self.metrics($0.offset, at: $0.element) }
        let whole = Self.project(events, rule)
        var index = ProjectionIndex(rule)
        FinishVerdictsTests.extend(
            &index,
            over: events.enumerated().map { number, event in
                FinishVerdictsTests.Recorded(
                    event: event, offset: RecordOffset(rawValue: UInt64(10 * number + 10)),
                    arrival: event.deviceTime)
            }[...])
        for _ in 0..<30 {
            let place = RecordOffset(rawValue: .random(in: 0...15_020, using: &generator))
            let checkpoint = index.checkpoint(before: place)
            var from = checkpoint?.projection ?? SessionProjection(rule)
            if checkpoint == nil { from.note(.beginning) }
            from.use(index.verdicts)
            var shown: [ShownEvent] = []
            for (number, event) in events.enumerated() {
                let offset = RecordOffset(rawValue: UInt64(10 * number + 10))
                guard offset >= checkpoint?.next ?? RecordOffset(rawValue: 0) else { continue }
                from.take(event, at: offset, arrival: event.deviceTime, into: &shown)
            }
            let rest = whole.filter { $0.offset > place }
            #expect(Array(shown.filter { $0.offset > place }) == rest)
        }
    }

    @Test(arguments: [0.0, 45, 60, 89, -75])
    func `The plane measures meters at every latitude`(latitude: Double) {
        let plane = LocalPlane(latitude: latitude, longitude: 179.999)
        let moved = plane.moved(eastMeters: 300, northMeters: -400)
        let squared = plane.squaredMeters(toLatitude: moved.latitude, longitude: moved.longitude)
        #expect(abs(squared.squareRoot() - 500) < 0.01)
        #expect(
            abs(LocalPlane.cosine(ofDegrees: latitude) - cos(latitude * .pi / 180)) < 1e-10)
        let around = plane.squaredMeters(toLatitude: latitude, longitude: -179.999)
        let expected = 0.002 * LocalPlane.metersPerDegreeNorth * cos(latitude * .pi / 180)
        #expect(abs(around.squareRoot() - expected) < 0.01)
    }
}
