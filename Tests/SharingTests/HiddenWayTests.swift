import SensorModel
import Testing

@testable import Sharing

/// Evidence of a hidden distance in visible values, and what an ordinary run loses by hiding it.
@Suite struct HiddenWayTests {
    private static let home = SessionProjectionTests.home
    private static let zoned = SessionProjectionTests.zoned()
    private static let trimmed = SessionProjectionTests.settings(start: 300)

    /// A second of a run east from home at 3 m/s.
    private static func second(_ second: Int, meters: Double? = nil) -> StreamEvent {
        SessionProjectionTests.metrics(
            second, at: home.moved(east: meters ?? 3 * Double(second), north: 0))
    }

    private static func east(_ metrics: Metrics) -> Double? {
        metrics.position.map {
            Track.Point(latitude: $0.latitude, longitude: $0.longitude).meters(to: home)
        }
    }

    private static func shown(_ events: [StreamEvent], _ settings: PrivacySettings) -> [Metrics] {
        let shown = SessionProjectionTests.project(
            events, .hiding(settings), until: Fixture.time(1_000_000))
        return SessionProjectionTests.metrics(in: shown)
    }

    /// The receiver is good at the door, then unusable until `good`; the session then adds the line
    /// from the door at once.
    @Test(arguments: [zoned, trimmed], [700, 900])
    func `A hole that began hidden is not added in view`(settings: PrivacySettings, good: Int) {
        let events = (0..<1200).map { second in
            var event = Self.second(second)
            if second >= 4, second < good, case .metrics(var metrics) = event.kind {
                metrics.distanceMeters = 12
                metrics.position?.horizontalAccuracyMeters = 22
                event.kind = .metrics(metrics)
            }
            return event
        }
        let shown = Self.shown(events, settings).filter { $0.position != nil }
        let first = shown.first.flatMap(Self.east) ?? 0
        #expect(first > 300 && first < 3 * Double(good))
        for metrics in shown {
            let way = (Self.east(metrics) ?? 0) - first
            #expect((metrics.distanceMeters ?? 0) <= way + 25)
        }
        let last = shown.last?.distanceMeters ?? 0
        #expect(last > 3 * Double(1199 - good))
    }

    /// In view, the session dates back or withdraws a pause of the hidden part.
    @Test(arguments: [-200.0, 200])
    func `Moving time of a stretch in view is between none and its length`(change: Double) {
        let events = (0..<1200).map { second in
            var event = Self.second(second)
            if case .metrics(var metrics) = event.kind {
                metrics.movingSeconds =
                    change > 0 && second < 600
                    ? Double(second) / 2 : Double(second) + (second >= 600 ? min(0, change) : 0)
                event.kind = .metrics(metrics)
            }
            return event
        }
        let shown = Self.shown(events, Self.zoned).filter { $0.position != nil }
        #expect(shown.count > 100)
        for metrics in shown {
            #expect((0...metrics.elapsedSeconds).contains(metrics.movingSeconds))
        }
    }

    @Test func `Where nothing was hidden a hole is added as the session adds it`() {
        // The run begins 3 km from the zone.
        let events = (0..<300).map { second in
            var event = Self.second(second, meters: 3000 + 3 * Double(second))
            if (100..<200).contains(second), case .metrics(var metrics) = event.kind {
                metrics.distanceMeters = 300
                event.kind = .metrics(metrics)
            }
            return event
        }
        let last = Self.shown(events, Self.zoned).last?.distanceMeters ?? 0
        #expect(abs(last - 3 * 299) < 1e-6)
    }

    /// The runner leaves the door within a minute, with one good position and a distance of 0.
    @Test(arguments: [Track.zone(around: home, radius: 50), nil])
    func `A hidden place is left behind, however soon`(zone: PrivacyZone?) {
        let settings = SessionProjectionTests.settings(
            zone.map { [$0] } ?? [], start: zone == nil ? 50 : 0)
        let events = (0..<300).map { second in
            var event = Self.second(
                second, meters: 40 * Double(min(second, 30)) + 3 * Double(second))
            if case .metrics(var metrics) = event.kind {
                metrics.distanceMeters = second < 200 ? 0 : 1200 + 3 * Double(second)
                metrics.position?.horizontalAccuracyMeters = second > 0 && second < 200 ? 22 : 5
                event.kind = .metrics(metrics)
            }
            return event
        }
        let shown = Self.shown(events, settings).filter { $0.position != nil }
        let first = shown.first.flatMap(Self.east) ?? 0
        for metrics in shown {
            #expect((metrics.distanceMeters ?? 0) <= (Self.east(metrics) ?? 0) - first + 25)
        }
    }

    /// A foot pod adds a little in view before the first good position.
    @Test(arguments: [zoned, trimmed])
    func `A small addition does not let the hidden way in`(settings: PrivacySettings) {
        let events = (0..<2500).map { second in
            var event = Self.second(second)
            if second >= 4, case .metrics(var metrics) = event.kind {
                metrics.distanceMeters =
                    second < 2000 ? 12 + Double(max(0, min(second, 640) - 600)) : 3 * Double(second)
                metrics.position?.horizontalAccuracyMeters = second < 2000 ? 22 : 5
                event.kind = .metrics(metrics)
            }
            return event
        }
        let shown = Self.shown(events, settings).filter { $0.position != nil }
        let first = shown.first.flatMap(Self.east) ?? 0
        #expect(shown.contains { ($0.distanceMeters ?? 0) > 10 })
        for metrics in shown {
            #expect((metrics.distanceMeters ?? 0) <= (Self.east(metrics) ?? 0) - first + 25)
        }
    }

    @Test func `A hole in the middle of a run in view is added`() {
        let events = (0..<2000).map { second in
            var event = Self.second(second)
            if (1000..<1200).contains(second), case .metrics(var metrics) = event.kind {
                metrics.distanceMeters = 3000
                metrics.position?.horizontalAccuracyMeters = 30
                event.kind = .metrics(metrics)
            }
            return event
        }
        let shown = Self.shown(events, Self.zoned).filter { $0.position != nil }
        let first = shown.first.flatMap(Self.east) ?? 0
        let way = shown.last?.distanceMeters ?? 0
        #expect(abs(way - (3 * 1999 - first)) < 110)
    }

    // MARK: Ordinary runs

    /// Positions that are missing for a while, or lie off the path from then on.
    enum Mishap: CaseIterable {
        case none, underpass, manyUnderpasses, stepsAside, restart
    }

    private static func run(_ mishap: Mishap) -> [StreamEvent] {
        var aside = 0.0
        var place = home
        return (0..<2000).map { second in
            let isCovered =
                switch mishap {
                case .underpass: (300..<336).contains(second)
                case .manyUnderpasses: second >= 120 && second % 120 < 36
                case .restart: (300..<700).contains(second)
                case .none, .stepsAside: false
                }
            if mishap == .stepsAside, second > 120, second % 120 == 0 { aside += 40 }
            if !isCovered { place = home.moved(east: 3 * Double(second), north: aside) }
            return SessionProjectionTests.metrics(second, at: place)
        }
    }

    /// After each mishap, 100 m of a new track are needed and nothing else.
    @Test(arguments: Mishap.allCases)
    func `An ordinary run with a trimmed start is in view outside of it`(mishap: Mishap) {
        let shown = Self.shown(Self.run(mishap), Self.trimmed)
        let far = shown.compactMap(Self.east).count { $0 > 1700 }
        #expect(shown.compactMap(Self.east).min() ?? 0 > 300)
        #expect(far > 800)
    }

    @Test(arguments: [[5, 40], [5, 5, 50], [20, 70, 35], [60], [10, 10, 10, 120]])
    func `A source that sends in pairs comes into view`(intervals: [Int]) {
        var second = 0
        var events: [StreamEvent] = []
        while second < 3000 {
            events.append(Self.second(second))
            second += intervals[events.count % intervals.count]
        }
        for settings in [Self.zoned, Self.trimmed] {
            let shown = Self.shown(events, settings).compactMap(Self.east)
            #expect(shown.min() ?? 0 > 200)
            // At most 1.7 of 9 km are hidden, plus 100 m until the track is trusted.
            #expect(shown.count > events.count / 2)
        }
    }

    // MARK: Starts

    /// Cell towers before the first fix at the door: seconds and meters before it.
    enum Towers: CaseIterable {
        case wander, two, rare

        var places: [(seconds: Int, meters: Int)] {
            switch self {
            case .wander: (0..<10).map { (seconds: 60 + 10 * $0, meters: 344 + 34 * $0) }
            case .two: [(105, 650), (75, 330)]
            case .rare: [(240, 700), (180, 690), (120, 710), (60, 700)]
            }
        }
    }

    /// Their reported accuracy in meters; four rare positions without one look like a track.
    @Test(arguments: [
        (Towers.wander, 500.0 as Double?), (.two, 500), (.rare, 500), (.wander, nil), (.two, nil),
    ])
    func `Cell towers do not make the door a place on the way`(
        feed: Towers, accuracy: Double?
    ) {
        let towers = feed.places
        let before = towers.sorted { $0.seconds > $1.seconds }.map { tower in
            let place = Self.home.moved(east: -Double(tower.meters), north: 0)
            var event = SessionProjectionTests.metrics(600 - tower.seconds, at: place)
            if case .metrics(var metrics) = event.kind {
                metrics.position?.horizontalAccuracyMeters = accuracy
                event.kind = .metrics(metrics)
            }
            return event
        }
        let run = (600..<2600).map { second in
            SessionProjectionTests.metrics(
                second, at: Self.home.moved(east: 3 * Double(second - 600), north: 0))
        }
        let shown = Self.shown(before + run, Self.trimmed).compactMap(Self.east)
        #expect(shown.count > 200)
        #expect(shown.min() ?? 0 > 300)
    }

    // MARK: Steps back

    /// Parts of 28 s, newest first, so that no step back exceeds 30 s.
    @Test func `Many small steps back are a large one`() {
        var events: [StreamEvent] = []
        var elapsed = 0
        for part in (0..<80).reversed() {
            for second in 0..<28 {
                elapsed += 1
                let time = 28 * part + second
                var event = SessionProjectionTests.metrics(
                    elapsed, at: Self.home.moved(east: 3 * Double(time), north: 0))
                event.deviceTime = Fixture.time(Double(time))
                events.append(event)
            }
        }
        let shown = Self.shown(events, Self.trimmed).compactMap(Self.east)
        #expect(shown.min() ?? .infinity > 300)
    }
}
