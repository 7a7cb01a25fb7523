import SensorModel
import Testing

@testable import Sharing

/// A watch that was silent for so long at home that its session ended, and continues it later. The
/// log need not say that it ended, as after a restart.
@Suite struct ContinuedSessionTests {
    private static let home = SessionProjectionTests.home
    /// Seconds of each run, half of them away from home.
    private static let run = 2000
    /// Seconds of the silence between the runs.
    private static func silence(endIsRecorded: Bool) -> Int { endIsRecorded ? 900 : 1800 }

    /// East and back, an end, and another run to the west that begins `away` meters from home.
    private static func events(away: Double, endIsRecorded: Bool = true) -> [StreamEvent] {
        func position(_ second: Int) -> Double { 3 * Double(min(second, run - second)) }
        var events = (0..<run).map { second in
            SessionProjectionTests.metrics(second, at: home.moved(east: position(second), north: 0))
        }
        let silence = silence(endIsRecorded: endIsRecorded)
        let over = run + 600
        let rest = SessionProjectionTests.metrics(run - 1, at: home.moved(east: 3, north: 0))
        if endIsRecorded, case .metrics(var metrics) = rest.kind {
            metrics.state = .ended
            metrics.position?.state = .ended
            events.append(Fixture.metricsEvent(Double(over), metrics))
            events.append(StreamEvent(deviceTime: Fixture.time(Double(over)), kind: .ended))
        }
        return events
            + (0..<run).map { second in
                SessionProjectionTests.metrics(
                    run - 1 + silence + second,
                    at: home.moved(east: -away - position(second), north: 0))
            }
    }

    private static func shown(
        away: Double, endIsRecorded: Bool = true, _ rule: ProjectionRule
    ) -> (positions: [Track.Point], metrics: [Metrics]) {
        let shown = SessionProjectionTests.project(
            events(away: away, endIsRecorded: endIsRecorded), rule, until: Fixture.time(1_000_000))
        let metrics = SessionProjectionTests.metrics(in: shown)
        return (
            metrics.compactMap(\.position).map {
                Track.Point(latitude: $0.latitude, longitude: $0.longitude)
            }, metrics
        )
    }

    @Test(
        arguments: [(0.0, true), (120, true), (250, true), (0, false), (250, false)],
        [(300.0, 300.0), (300, 0), (0, 300)])
    func `Its end is a finish and its continuation a start`(
        place: (away: Double, endIsRecorded: Bool), trims: (start: Double, finish: Double)
    ) {
        let away = place.away
        let (positions, metrics) = Self.shown(
            away: away, endIsRecorded: place.endIsRecorded,
            .hiding(SessionProjectionTests.settings(start: trims.start, finish: trims.finish)))
        let east = positions.filter { $0.longitude > Self.home.longitude }
        let west = positions.filter { $0.longitude <= Self.home.longitude }
        #expect(east.count > 500 && west.count > 500)
        if trims.start > 0 {
            let from = Self.home.moved(east: -away, north: 0)
            #expect(west.allSatisfy { $0.meters(to: from) > 300 })
            #expect(west.allSatisfy { $0.meters(to: Self.home) > 300 })
        }
        // The way home is behind the turn; the same places are passed on the way out.
        let back = east.drop { $0.meters(to: Self.home) < 2990 }
        if trims.finish > 0 { #expect(back.allSatisfy { $0.meters(to: Self.home) > 300 }) }
        // What was hidden does not count, and what was shown before does.
        let distances = metrics.compactMap(\.distanceMeters)
        #expect(zip(distances, distances.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(distances.last ?? 0 > 6000 && distances.last ?? 0 < 3 * Double(2 * Self.run))
    }

    /// The session ended in view, 3 km away, and continues at home, where the runner stays for a while.
    @Test(
        arguments: [
            SessionProjectionTests.settings(start: 300),
            SessionProjectionTests.settings([Track.zone(around: home, radius: 300)]),
            SessionProjectionTests.settings([Track.zone(around: home, radius: 300)], finish: 300),
            SessionProjectionTests.settings(start: 300, finish: 300),
        ], [true, false])
    func `Nothing tells that it continues before its first visible point`(
        settings: PrivacySettings, endIsRecorded: Bool
    ) {
        var events = (0..<1000).map { second in
            SessionProjectionTests.metrics(
                second, at: Self.home.moved(east: 3 * Double(second), north: 0))
        }
        let end = Fixture.time(1600)
        let rest = SessionProjectionTests.metrics(999, at: Self.home.moved(east: 2997, north: 0))
        if endIsRecorded, case .metrics(var metrics) = rest.kind {
            metrics.state = .ended
            metrics.position?.state = .ended
            events.append(StreamEvent(deviceTime: end, kind: .metrics(metrics)))
            events.append(StreamEvent(deviceTime: end, kind: .ended))
        }
        let count = UInt64(events.count)
        events += (0..<2000).map { second in
            SessionProjectionTests.metrics(
                30_000 + second,
                at: Self.home.moved(east: -3 * Double(max(0, second - 300)), north: 0))
        }
        let shown = SessionProjectionTests.project(
            events, .hiding(settings), until: Fixture.time(1_000_000))
        let continued = shown.filter { $0.offset.rawValue > 10 * count }
        guard case .metrics(let first)? = continued.first?.event.kind else {
            Issue.record("nothing of the second run is shown")
            return
        }
        #expect(first.state == .live && first.position != nil)
        #expect(continued.count > 500)
    }

    @Test func `Where nothing is hidden all of it is shown`() {
        let (positions, metrics) = Self.shown(away: 0, .everything)
        #expect(positions.count == 2 * Self.run + 1)
        #expect(metrics.count == positions.count)
    }

    @Test func `A reader that begins in the second run sees the same`() {
        let rule = ProjectionRule.hiding(
            SessionProjectionTests.settings(start: 300, finish: 300))
        let events = Self.events(away: 0)
        var fresh = SessionProjection(rule)
        fresh.note(.beginning)
        func take(_ index: Int, _ projection: inout SessionProjection, _ shown: inout [ShownEvent])
        {
            projection.take(
                events[index], at: RecordOffset(rawValue: UInt64(index + 1)),
                arrival: events[index].deviceTime, into: &shown)
        }
        for second in [100, 500, 1500] {
            var (projection, before) = (fresh, [ShownEvent]())
            let begin = Self.run + second
            for index in 0..<begin { take(index, &projection, &before) }
            var reader = projection.rewound()
            let first = projection.firstHeld.map { Int($0.offset.rawValue) - 1 } ?? begin
            var (rest, again) = ([ShownEvent](), [ShownEvent]())
            for index in begin..<events.count { take(index, &projection, &rest) }
            for index in first..<events.count { take(index, &reader, &again) }
            projection.advance(to: Fixture.time(1_000_000), into: &rest)
            reader.advance(to: Fixture.time(1_000_000), into: &again)
            #expect(again.map(\.event) == rest.map(\.event), "second \(second)")
            #expect(!rest.isEmpty)
        }
    }
}
