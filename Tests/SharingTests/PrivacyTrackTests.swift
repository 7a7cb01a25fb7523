import Foundation
import SensorModel
import Testing

@testable import Sharing

/// Generated runs through zones: what a viewer sees, and what an attacker can compute from it.
@Suite struct PrivacyTrackTests {
    /// The positions that a viewer gets of a run, each with the runner's place at that time.
    private static func shown(
        _ track: Track, _ settings: PrivacySettings
    ) -> [(position: PositionMetric, runner: Track.Point)] {
        var projection = SessionProjection(.hiding(settings))
        projection.note(.beginning)
        var shown: [(position: PositionMetric, runner: Track.Point)] = []
        // A day later nothing is held back any more.
        for index in 0...track.points.count {
            var events: [ShownEvent] = []
            let point = track.points[min(index, track.points.count - 1)]
            if index < track.points.count {
                let event = SessionProjectionTests.metrics(index, at: point)
                projection.take(
                    event, at: RecordOffset(rawValue: UInt64(index + 1)),
                    arrival: event.deviceTime, into: &events)
            } else {
                projection.advance(to: Fixture.time(86_400), into: &events)
            }
            for metrics in SessionProjectionTests.metrics(in: events) {
                #expect((metrics.speedMetersPerSecond == nil) == (metrics.position == nil))
                if let position = metrics.position { shown.append((position, point)) }
            }
        }
        return shown
    }

    private static func point(_ position: PositionMetric) -> Track.Point {
        Track.Point(latitude: position.latitude, longitude: position.longitude)
    }

    @Test(arguments: UInt64(1)...5)
    func `Of a thousand runs no position inside a zone is shown`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var shownCount = 0
        var zoneCount = 0
        var leaked = 0
        for _ in 0..<1000 {
            let home = Track.randomPlace(&generator)
            let radius = Double.random(in: 50...800, using: &generator)
            let zone = Track.zone(around: home, radius: radius)
            let away = Bool.random(using: &generator) ? 1500.0 : 0
            let track = Track.random(
                from: home.moved(east: away, north: 0), count: 160, stepMeters: 15, &generator)
            let finish = Bool.random(using: &generator) ? 100.0 : 0
            let settings = PrivacySettings(
                zones: [zone], trimStartMeters: 0, trimFinishMeters: finish, salt: seed)
            for (position, _) in Self.shown(track, settings) {
                shownCount += 1
                if Self.point(position).meters(to: home) <= radius { leaked += 1 }
            }
            zoneCount += track.points.count { $0.meters(to: home) <= radius }
        }
        #expect(leaked == 0)
        #expect(shownCount > 2500 && zoneCount > 5000)
    }

    @Test func `On every outlet a zone's inside is empty`() throws {
        var generator = SeededGenerator(seed: 99)
        for _ in 0..<100 {
            let home = Track.randomPlace(&generator)
            let zone = Track.zone(around: home, radius: 300)
            let settings = PrivacySettings(
                zones: [zone], trimStartMeters: 0, trimFinishMeters: 0, salt: 1)
            var views = SessionViews(session: Fixture.session, epoch: 1, privacy: settings)
            views.note(.beginning)
            var view = ShareView(Fixture.share(), cursor: Fixture.cursor(0), at: Fixture.start)
            let history = HistoryEncoder(epoch: 1, scope: .all)
            var projection = SessionProjection(.hiding(settings))
            projection.note(.beginning)
            let table = FeedTable()
            let feed = table.open(FeedKey(view.share), runnerName: "Anna", snapshot: view.snapshot)
            let track = Track.random(from: home, count: 140, stepMeters: 15, &generator)
            for (index, point) in track.points.enumerated() {
                let event = SessionProjectionTests.metrics(index, at: point)
                let offset = RecordOffset(rawValue: UInt64(index + 1))
                let before = feed.revision
                let updates = views.take(event, at: offset, arrival: event.deviceTime)
                for dated in updates.hiding ?? [] {
                    guard let update = view.take(dated.update, at: dated.arrival) else { continue }
                    table.apply(update, to: feed.key)
                }
                var shown: [ShownEvent] = []
                projection.take(event, at: offset, arrival: event.deviceTime, into: &shown)
                let outlets =
                    shown.map { history.item(of: $0.event, at: $0.offset) }
                    + [
                        SnapshotEncoder.object(view.snapshot), feed.snapshotMessage().json,
                        feed.updateMessage(after: before)?.json,
                    ]
                for json in outlets.compactMap({ $0 }) {
                    guard let position = try Fixture.object(json)["position"] as? [String: Any]
                    else { continue }
                    let latitude = try #require(position["latitude"] as? Double)
                    let longitude = try #require(position["longitude"] as? Double)
                    let shown = Track.Point(latitude: latitude, longitude: longitude)
                    #expect(shown.meters(to: home) > 300)
                    #expect(shown.meters(to: point) < 0.1 || shown.meters(to: home) > 300)
                }
            }
        }
    }

    enum Guard: CaseIterable {
        case zone, trimmedStart, trimmedFinish
    }

    @Test(arguments: Guard.allCases)
    func `The cut points of many runs do not give the home away`(guarding: Guard) throws {
        var found = (fitted: 0, centroid: 0)
        for seed in UInt64(1)...12 {
            var generator = SeededGenerator(seed: seed &* 7919)
            let home = Track.randomPlace(&generator)
            let settings = PrivacySettings(
                zones: guarding == .zone ? [Track.zone(around: home, radius: 200)] : [],
                trimStartMeters: guarding == .trimmedStart ? 200 : 0,
                trimFinishMeters: guarding == .trimmedFinish ? 200 : 0,
                salt: generator.next())
            let cuts = try Self.cuts(
                around: home, isFinish: guarding == .trimmedFinish, settings, &generator)
            #expect(cuts.allSatisfy { $0.meters(to: home) > 180 })
            let fitted = try #require(Track.fittedCenter(cuts))
            if fitted.meters(to: home) < 100 { found.fitted += 1 }
            if Track.centroid(cuts).meters(to: home) < 100 { found.centroid += 1 }
        }
        // By chance, a point of such an area lies within 100 m of one home in forty.
        #expect(found.fitted <= 1 && found.centroid <= 1)
    }

    /// Cuts of runs in every direction that start or end at the door, within a fix's error.
    private static func cuts(
        around home: Track.Point, isFinish: Bool, _ settings: PrivacySettings,
        _ generator: inout SeededGenerator
    ) throws -> [Track.Point] {
        try (0..<60).map { run in
            let door = home.moved(
                east: Double.random(in: -10...10, using: &generator),
                north: Double.random(in: -10...10, using: &generator))
            let heading = Double(run) / 60 * 2 * .pi
            var track = Track(
                points: (0..<130).map { step in
                    door.moved(
                        east: Double(step) * 20 * cos(heading),
                        north: Double(step) * 20 * sin(heading))
                })
            if isFinish { track.points.reverse() }
            let positions = shown(track, settings).map(\.position)
            return point(try #require(isFinish ? positions.last : positions.first))
        }
    }

    @Test(arguments: UInt64(1)...12)
    func `With a trimmed finish a place is shown if the runner left it behind, always as late`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        let start = Track.randomPlace(&generator)
        let track = Track.random(from: start, count: 1000, stepMeters: 8, &generator)
        var settings = PrivacySettings(
            zones: [], trimStartMeters: 0, trimFinishMeters: 250, salt: seed)
        settings.finishSecondsLate = 400
        var projection = SessionProjection(.hiding(settings))
        projection.note(.beginning)
        var shown: [ShownEvent] = []
        for second in 0..<1500 {
            let now = Fixture.time(Double(second) + 0.5)
            if second < track.points.count {
                let event = SessionProjectionTests.metrics(second, at: track.points[second])
                projection.take(
                    event, at: RecordOffset(rawValue: UInt64(second + 1)),
                    arrival: event.deviceTime, into: &shown)
            }
            let count = shown.count
            projection.advance(to: now, into: &shown)
            for event in shown[count...] where event.arrival < now.advanced(bySeconds: -1) {
                let late = now.seconds(since: event.arrival)
                #expect(late >= 400 && late < 401 + SessionProjection.lagSecondsMax)
            }
        }
        var visible: Set<Int> = []
        for event in shown {
            guard case .metrics(let metrics) = event.event.kind, metrics.position != nil else {
                continue
            }
            visible.insert(Int(event.offset.rawValue) - 1)
        }
        // Records of splits replace some of the metrics.
        let told = Set(shown.map { Int($0.offset.rawValue) - 1 })
        let circles = track.points.map {
            HiddenCircle(
                meters: 250, aroundLatitude: $0.latitude, longitude: $0.longitude, salt: seed)
        }
        for (index, point) in track.points.enumerated() {
            // A place is left by two positions in a row.
            let isOutside = circles[index...].prefix(400).map {
                !$0.contains(latitude: point.latitude, longitude: point.longitude)
            }
            let isLeft = zip(isOutside, isOutside.dropFirst()).contains { $0 && $1 }
            #expect(isLeft ? told.contains(index) : !visible.contains(index))
        }
        if let finish = track.points.last, finish.meters(to: start) > 2500 {
            #expect(visible.count > 10)
        }
    }

    /// A place relative to the grid's corners, at each of which offsets are drawn differently.
    enum Place: CaseIterable {
        case corner, middle, any

        func random(_ generator: inout SeededGenerator) -> Track.Point {
            if self == .any { return Track.randomPlace(&generator) }
            let row = Double(Int.random(in: -30...30, using: &generator))
            return Track.Point(latitude: self == .corner ? row : row + 0.005, longitude: 0)
        }
    }

    @Test(arguments: Place.allCases)
    func `An offset is as likely in any direction and anywhere in the ring`(place: Place) {
        var generator = SeededGenerator(seed: 6)
        let ring = PrivacyOffset.validLength
        let inner = ring.lowerBound * ring.lowerBound
        let area = ring.upperBound * ring.upperBound - inner
        var eighths = [Int](repeating: 0, count: 8)
        var directions = [Int](repeating: 0, count: 8)
        let count = 40_000
        for _ in 0..<count {
            let point = place.random(&generator)
            let (east, north) = PrivacyOffset.around(
                latitude: point.latitude, longitude: point.longitude, salt: generator.next())
            let share = (east * east + north * north - inner) / area
            #expect(share > -1e-9 && share < 1 + 1e-9)
            eighths[min(max(Int(share * 8), 0), 7)] += 1
            directions[Int((atan2(north, east) / .pi + 1) * 4) % 8] += 1
        }
        // Within a tenth of uniform; blended unit vectors are half as frequent at the ends.
        for share in eighths + directions {
            #expect(abs(Double(share) * 8 / Double(count) - 1) < 0.1)
        }
    }

    @Test func `An offset hardly changes over some meters, and tells nothing of one far off`() {
        var generator = SeededGenerator(seed: 7)
        var jumps = 0
        var product = 0.0
        for _ in 0..<4000 {
            let place = Track.randomPlace(&generator)
            let salt = generator.next()
            func offset(east: Double, north: Double) -> (eastMeters: Double, northMeters: Double) {
                let point = place.moved(east: east, north: north)
                return PrivacyOffset.around(
                    latitude: point.latitude, longitude: point.longitude, salt: salt)
            }
            let here = offset(east: 0, north: 0)
            let beside = offset(east: 8, north: -8)
            let far = offset(east: 2500, north: 0)
            let change =
                abs(here.eastMeters - beside.eastMeters)
                + abs(here.northMeters - beside.northMeters)
            if change > 60 { jumps += 1 }
            product +=
                here.eastMeters * far.eastMeters + here.northMeters * far.northMeters
        }
        #expect(jumps < 40)
        let square = PrivacyOffset.validLength.upperBound * PrivacyOffset.validLength.upperBound
        #expect(abs(product / 4000) < 0.05 * square)
    }
}
