import Foundation
import SensorModel
import Testing

@testable import Sharing

/// An app that never stops has the home in the middle of its session.
@Suite struct LongStandTests {
    private static let home = SessionProjectionTests.home

    /// A run from home at 3 m/s and back, a stand there, and another run; positions wander.
    private static func events(standing stand: Int) -> [StreamEvent] {
        let turn = 1000
        return (0..<4 * turn + stand).map { second in
            let back = 2 * turn
            let way =
                second < back
                ? turn - abs(turn - second) : max(0, second - back - stand)
            let wander = Double(second % 7) - 3
            let heading = second < back ? 1.0 : -1
            return SessionProjectionTests.metrics(
                second, at: home.moved(east: heading * 3 * Double(way) + wander, north: wander))
        }
    }

    /// The same with one position every five minutes during the stand; one in `every` leaps.
    private static func pings(
        standing stand: Int, leaping meters: Double, accuracy: Double, every: Int
    ) -> [StreamEvent] {
        let arrival = 2000
        return events(standing: stand).enumerated().map { second, event in
            guard (arrival..<arrival + stand).contains(second) else { return event }
            let ping = (second - arrival) / 300
            let leaps = ping % every == every - 1
            // Positions must differ, because a repeated one is not new.
            let place = home.moved(east: Double(ping % 7), north: leaps ? meters : 0)
            let event = SessionProjectionTests.metrics(second, at: place)
            guard case .metrics(var metrics) = event.kind else { return event }
            metrics.position?.horizontalAccuracyMeters = leaps ? accuracy : 8
            return Fixture.metricsEvent(Double(second), metrics)
        }
    }

    private static func shown(standing stand: Int, _ settings: PrivacySettings) -> [Metrics] {
        let shown = SessionProjectionTests.project(
            events(standing: stand), .hiding(settings), until: Fixture.time(1_000_000))
        return SessionProjectionTests.metrics(in: shown)
    }

    private static func nearest(_ shown: [Metrics]) -> Double {
        shown.compactMap(\.position).map {
            Track.Point(latitude: $0.latitude, longitude: $0.longitude).meters(to: home)
        }.min() ?? .infinity
    }

    @Test(arguments: [1900, 7200, 30_000])
    func `Nothing near a long stand is shown, where start and finish are trimmed`(stand: Int) {
        let shown = Self.shown(
            standing: stand, SessionProjectionTests.settings(start: 300, finish: 300))
        #expect(Self.nearest(shown) > 300)
        // The runs before and after are shown.
        let east = shown.compactMap(\.position).map(\.longitude)
        #expect(east.contains { $0 > Self.home.longitude + 0.03 })
        #expect(east.contains { $0 < Self.home.longitude - 0.03 })
    }

    @Test(
        arguments: [
            (130, 30, 5), (130, 30, 2), (160, 100, 4), (250, 300, 4), (400, 400, 5), (400, 20, 5),
            (1500, 20, 5),
        ] as [(Double, Double, Int)], [3600, 14_400])
    func `A receiver that leaps away and comes back does not end a stand`(
        leap: (meters: Double, accuracy: Double, every: Int), stand: Int
    ) {
        for (start, finish) in [(300.0, 300.0), (300, 0), (0, 300)] {
            let events = Self.pings(
                standing: stand, leaping: leap.meters, accuracy: leap.accuracy, every: leap.every)
            let shown = SessionProjectionTests.metrics(
                in: SessionProjectionTests.project(
                    events,
                    .hiding(SessionProjectionTests.settings(start: start, finish: finish)),
                    until: Fixture.time(1_000_000)))
            // The way home is in the east, and so is the house; the next run is in the west.
            let longitude = Self.home.longitude
            let east = shown.filter { $0.position.map { $0.longitude >= longitude } ?? false }
            let west = shown.filter { $0.position.map { $0.longitude < longitude } ?? false }
            if start > 0 { #expect(Self.nearest(west) > 300, "finish \(finish)") }
            if finish > 0 {
                // If only the finish is trimmed, the start is in view.
                let later = start > 0 ? east[...] : east.dropFirst(1000)
                #expect(Self.nearest(Array(later)) > 300, "start \(start)")
            }
            #expect(east.count > 500 && west.count > 500)
        }
    }

    @Test func `The arrival is hidden where the finish alone is trimmed`() {
        let events = Self.events(standing: 7200)
        let shown = SessionProjectionTests.project(
            events, .hiding(SessionProjectionTests.settings(finish: 300)),
            until: Fixture.time(1_000_000))
        let times = SessionProjectionTests.metrics(in: shown).compactMap { metrics in
            metrics.position.map { (metrics.elapsedSeconds, $0) }
        }
        // Up to the moment at which the runner leaves.
        for (_, position) in times.dropFirst(400).prefix(while: {
            $0.1.longitude > Self.home.longitude
        }) {
            let point = Track.Point(latitude: position.latitude, longitude: position.longitude)
            #expect(point.meters(to: Self.home) > 300)
        }
    }

    @Test func `A rest of less than half an hour hides nothing more`() {
        let settings = SessionProjectionTests.settings(start: 300)
        let rest = Self.shown(standing: 1500, settings)
        let point = Self.events(standing: 0)
        #expect(rest.count { $0.position != nil } > point.count / 3)
    }

    @Test func `The place of a stand is where the time was spent, not its first position`() {
        var stand = LongStand()
        var places: [LocalPlane] = []
        for ping in 0..<12 {
            // At a walk, a position in five minutes; the first one is of the way there.
            let place = Self.home.moved(east: ping == 0 ? 90 : Double(ping % 3), north: 0)
            stand.update(
                place.latitude, place.longitude, accuracy: 8, at: Double(ping) * 300)
            if let place = stand.newPlace { places.append(place) }
        }
        #expect(places.count == 1)
        for place in places {
            let center = Track.Point(latitude: place.latitude, longitude: place.longitude)
            #expect(center.meters(to: Self.home) < 20)
        }
    }

    /// Laps of a track, of a park, and up and down a hill with rests of a minute.
    @Test(arguments: [(400, 0), (785, 0), (1000, 0), (3000, 0), (500, 60)])
    func `Laps are no stand, though they pass a place again and again`(
        meters: Int, restSeconds: Int
    ) {
        var stand = LongStand()
        var places = 0
        let radius = Double(meters) / (2 * .pi)
        var second = 0
        while second < 7200 {
            for way in stride(from: 0.0, to: Double(meters), by: 3) {
                let angle = way / radius
                let place = Self.home.moved(
                    east: radius * cos(angle) + Double(second % 3), north: radius * sin(angle))
                stand.update(
                    place.latitude, place.longitude, accuracy: 5, at: Double(second))
                places += stand.newPlace == nil ? 0 : 1
                second += 1
            }
            for _ in 0..<restSeconds {
                let place = Self.home.moved(east: radius + Double(second % 3), north: 0)
                stand.update(
                    place.latitude, place.longitude, accuracy: 5, at: Double(second))
                places += stand.newPlace == nil ? 0 : 1
                second += 1
            }
        }
        #expect(places == 0)
    }

    @Test func `With seventeen long stands a session with a trimmed start is hidden`() {
        var track = HiddenPlaces(SessionProjectionTests.settings(start: 100))
        var inView: [Int] = []
        for stop in 0..<20 {
            for second in 0..<3000 {
                let way = 12_000 * Double(stop) + 6 * Double(max(0, second - 1900))
                let event = SessionProjectionTests.metrics(
                    stop * 3000 + second,
                    at: Self.home.moved(east: way + Double(second % 5), north: 0))
                guard case .metrics(let metrics) = event.kind else { continue }
                track.update(metrics, at: event.deviceTime)
                if !track.isHidden { inView.append(stop) }
            }
        }
        #expect(inView.contains(10) && inView.max() ?? 0 < 18)
    }
}
