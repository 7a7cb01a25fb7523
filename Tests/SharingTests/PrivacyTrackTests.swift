import Foundation
import SensorModel
import Testing

@testable import Sharing

/// Made-up runs through zones: what a viewer may see of them, and what an attacker makes of it.
@Suite struct PrivacyTrackTests {
    /// The shown positions of a run, as a viewer gets them; `nil` where there was none.
    private static func shown(
        _ track: Track, _ settings: PrivacySettings
    ) -> [PositionMetric?] {
        var filter = PrivacyFilter(settings)
        var metrics = Metrics()
        var speedsAtOddsWithPlace = 0
        let positions = track.points.enumerated().map { index, point in
            metrics.elapsedSeconds = Double(index)
            metrics.speedMetersPerSecond = 3
            metrics.position = PositionMetric(
                latitude: point.latitude, longitude: point.longitude, altitudeMeters: nil,
                horizontalAccuracyMeters: nil, courseDegrees: nil, state: .live)
            let shown = filter.filter(metrics)
            if (shown.speedMetersPerSecond == nil) != filter.isInside {
                speedsAtOddsWithPlace += 1
            }
            return shown.position
        }
        #expect(speedsAtOddsWithPlace == 0)
        return positions
    }

    private static func point(_ position: PositionMetric) -> Track.Point {
        Track.Point(latitude: position.latitude, longitude: position.longitude)
    }

    @Test(arguments: UInt64(1)...10)
    func `Of a thousand runs no position inside a zone is shown`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var shownCount = 0
        var zoneCount = 0
        var leaked = 0
        for _ in 0..<1000 {
            let home = Track.randomPlace(&generator)
            let radius = Double.random(in: 50...800, using: &generator)
            let zone = Track.zone(around: home, radius: radius, &generator)
            let away = Bool.random(using: &generator) ? 1500.0 : 0
            let track = Track.random(
                from: home.moved(east: away, north: 0), count: 60, stepMeters: 40, &generator)
            let finish = Bool.random(using: &generator) ? 100.0 : 0
            let settings = PrivacySettings(
                zones: [zone], trimStartMeters: 0, trimFinishMeters: finish, salt: seed)
            for position in Self.shown(track, settings) {
                guard let position else { continue }
                shownCount += 1
                if Self.point(position).meters(to: home) <= radius { leaked += 1 }
            }
            zoneCount += track.points.count { $0.meters(to: home) <= radius }
        }
        #expect(leaked == 0)
        #expect(shownCount > 5000 && zoneCount > 5000)
    }

    @Test func `On every outlet a zone's inside is empty`() throws {
        var generator = SeededGenerator(seed: 99)
        for _ in 0..<100 {
            let home = Track.randomPlace(&generator)
            let zone = Track.zone(around: home, radius: 300, &generator)
            let settings = PrivacySettings(
                zones: [zone], trimStartMeters: 0, trimFinishMeters: 0, salt: 1)
            var fields = SessionFields(session: Fixture.session, epoch: 1, privacy: settings)
            var view = ShareView(Fixture.share(), cursor: Fixture.cursor(0), at: Fixture.start)
            var history = HistoryView(epoch: 1, scope: .all, privacy: settings)
            let table = FeedTable()
            let feed = table.open(view.share, runnerName: "Anna", snapshot: view.snapshot)
            let track = Track.random(from: home, count: 40, stepMeters: 50, &generator)
            for (index, point) in track.points.enumerated() {
                let event = Fixture.metricsEvent(
                    Double(index), PrivacyFilterTests.metrics(point, elapsed: Double(index)))
                let offset = RecordOffset(rawValue: UInt64(index + 1))
                let before = feed.revision
                if let update = view.take(fields.take(event, at: offset), at: event.deviceTime) {
                    table.apply(update, to: view.share)
                }
                let outlets = [
                    history.item(of: event, at: offset), SnapshotEncoder.object(view.snapshot),
                    feed.snapshotMessage().json, feed.updateMessage(after: before)?.json,
                ]
                for json in outlets.compactMap({ $0 }) {
                    guard let position = try Fixture.object(json)["position"] as? [String: Any]
                    else { continue }
                    let latitude = try #require(position["latitude"] as? Double)
                    let longitude = try #require(position["longitude"] as? Double)
                    let shown = Track.Point(latitude: latitude, longitude: longitude)
                    #expect(shown.meters(to: home) > 300)
                    #expect(shown.meters(to: point) < 0.1)
                }
            }
        }
    }

    enum Guard: CaseIterable {
        case zone, trimmedStart, trimmedFinish
    }

    @Test(arguments: Guard.allCases, UInt64(1)...12)
    func `The cut points of many runs do not give the home away`(
        guarding: Guard, seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed &* 7919)
        let home = Track.randomPlace(&generator)
        let settings = PrivacySettings(
            zones: guarding == .zone ? [Track.zone(around: home, radius: 200, &generator)] : [],
            trimStartMeters: guarding == .trimmedStart ? 200 : 0,
            trimFinishMeters: guarding == .trimmedFinish ? 200 : 0,
            salt: generator.next())
        var cuts: [Track.Point] = []
        for run in 0..<120 {
            // From the door, give or take a fix's error, in every direction.
            let door = home.moved(
                east: Double.random(in: -10...10, using: &generator),
                north: Double.random(in: -10...10, using: &generator))
            let heading = Double(run) / 120 * 2 * .pi
            var track = Track(
                points: (0..<150).map { step in
                    door.moved(
                        east: Double(step) * 10 * cos(heading),
                        north: Double(step) * 10 * sin(heading))
                })
            if guarding == .trimmedFinish { track.points.reverse() }
            let positions = Self.shown(track, settings).compactMap { $0 }
            let cut = guarding == .trimmedFinish ? positions.last : positions.first
            cuts.append(Self.point(try #require(cut)))
        }
        #expect(cuts.allSatisfy { $0.meters(to: home) > 180 })
        let fitted = try #require(Track.fittedCenter(cuts))
        #expect(fitted.meters(to: home) > 100)
        #expect(Track.centroid(cuts).meters(to: home) > 100)
    }

    @Test(arguments: UInt64(1)...200)
    func `With a trimmed finish no place is shown before it is far behind`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let start = Track.randomPlace(&generator)
        let track = Track.random(from: start, count: 400, stepMeters: 8, &generator)
        let settings = PrivacySettings(
            zones: [], trimStartMeters: 0, trimFinishMeters: 250, salt: seed)
        var last: PositionMetric?
        var releases = 0
        for (point, position) in zip(track.points, Self.shown(track, settings)) {
            guard let position, position != last else { continue }
            #expect(Self.point(position).meters(to: point) > 250)
            last = position
            releases += 1
        }
        if let finish = track.points.last, finish.meters(to: start) > 1500 {
            #expect(releases > 10)
        }
    }

    @Test func `The whole of an export is masked, its finish too`() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let start = Track.randomPlace(&generator)
            let track = Track.random(from: start, count: 200, stepMeters: 12, &generator)
            guard let finish = track.points.last else { return }
            let settings = PrivacySettings(
                zones: [], trimStartMeters: 100, trimFinishMeters: 150, salt: 3)
            var mask = PrivacyMask(settings, finish: (finish.latitude, finish.longitude))
            for point in track.points
            where mask.shows(latitude: point.latitude, longitude: point.longitude) {
                #expect(point.meters(to: start) > 100 && point.meters(to: finish) > 150)
            }
        }
    }

    @Test func `Offsets are as long as they must be, and hardly change over a few meters`() {
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<2000 {
            let drawn = PrivacyOffset.draw(using: &generator)
            let length =
                (drawn.eastMeters * drawn.eastMeters
                + drawn.northMeters * drawn.northMeters).squareRoot()
            #expect(PrivacyOffset.validLength.contains(length))
        }
        var jumps = 0
        for _ in 0..<2000 {
            let place = Track.randomPlace(&generator)
            let beside = place.moved(east: 8, north: -8)
            let one = PrivacyOffset.around(
                latitude: place.latitude, longitude: place.longitude, salt: 9)
            let other = PrivacyOffset.around(
                latitude: beside.latitude, longitude: beside.longitude, salt: 9)
            let length = (one.eastMeters * one.eastMeters + one.northMeters * one.northMeters)
                .squareRoot()
            #expect(length >= 219.9 && length <= 360.1)
            let change =
                abs(one.eastMeters - other.eastMeters)
                + abs(one.northMeters - other.northMeters)
            if change > 60 { jumps += 1 }
        }
        #expect(jumps < 20)
    }
}
