import SensorModel
import Testing

@testable import Sharing

/// What a hidden way tells in view, and what of an ordinary run is hidden beside it.
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

    /// The receiver is good at the door, then too poor to count with, until `good`; the session then adds
    /// the line from the door at once.
    @Test(arguments: [zoned, trimmed], [700, 900])
    func `A hole that began hidden is not added in view`(settings: PrivacySettings, good: Int) {
        let events = (0..<1200).map { second in
            var event = Self.second(second)
            if second >= 4, second < good, case .metrics(var metrics) = event.kind {
                metrics.distanceMeters = 12
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

    /// A pause of the hidden part that the session dates back, or takes back, in view.
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
        // Begins 3 km from the zone.
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

    /// A fix's events come before the metrics that hold its position.
    @Test func `An event on the way into a zone is hidden with the position that it belongs to`() {
        var events: [StreamEvent] = []
        for number in 0..<40 {
            let meters = 4000 - 100 * Double(number)
            let reached = CheckpointReached(
                checkpoint: "\(Int(meters))", elapsedSeconds: 20 * Double(number),
                distanceMeters: 100 * Double(number))
            events.append(
                StreamEvent(
                    deviceTime: Fixture.time(20 * Double(number)), kind: .checkpointReached(reached)
                ))
            events.append(Self.second(20 * number, meters: meters))
        }
        let shown = SessionProjectionTests.project(
            events, .hiding(Self.zoned), until: Fixture.time(1_000_000))
        let nearest = SessionProjectionTests.metrics(in: shown).compactMap(Self.east).min() ?? 0
        let checkpoints = shown.compactMap { event -> Double? in
            guard case .checkpointReached(let reached) = event.event.kind else { return nil }
            return Double(reached.checkpoint)
        }
        #expect(checkpoints.count > 10)
        #expect(abs((checkpoints.min() ?? 0) - nearest) < 1)
        #expect(zip(shown, shown.dropFirst()).allSatisfy { $0.offset < $1.offset })
    }

    @Test func `A second with very many events loses its oldest, and the end is shown at once`() {
        let before = (0..<500).map { Self.second($0, meters: 3000 + 3 * Double($0)) }
        let markers = (0..<1000).map {
            StreamEvent(deviceTime: Fixture.time(500), kind: .marker("\($0)"))
        }
        let end = StreamEvent(deviceTime: Fixture.time(502), kind: .ended)
        let shown = SessionProjectionTests.project(
            before + markers + [Self.second(501, meters: 4503), end], .hiding(Self.zoned))
        let texts = shown.compactMap { event -> String? in
            if case .marker(let text) = event.event.kind { text } else { nil }
        }
        #expect(texts.count == 64 && texts.last == "999")
        #expect(shown.last?.event.kind == .ended)
    }

    // MARK: Ordinary runs

    /// Seconds without a position, and meters by which the track steps aside, each of them 3 km apart at
    /// most.
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

    /// Behind each mishap 100 m of a new track are waited for, and nothing else.
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
            let outside = events.count { ($0.position.map { _ in 1 } ?? 0) > 0 } / 2
            #expect(shown.count > outside / 2)
        }
    }

    // MARK: Steps back

    /// Parts of 28 s, the newest first: no step back is longer than 30 s.
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
