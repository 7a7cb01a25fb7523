import SensorModel
import Testing

@testable import Sharing

/// A watch that was switched off, or without a network, for less than the time that ends a run.
@Suite struct ResumedSessionTests {
    private static let home = SessionProjectionTests.home
    private static let zone = Track.zone(around: home, radius: 300)
    /// Seconds of the way out, at 3 m/s.
    private static let out = 1000

    /// A silence by the watch's clock and by the daemon's.
    private struct Silence {
        let device: Double
        let arrival: Double
    }

    private static func metrics(
        _ second: Double, east: Double, _ state: ValueState = .live
    ) -> StreamEvent {
        var event = SessionProjectionTests.metrics(
            Int(second), at: home.moved(east: east, north: 0))
        if case .metrics(var metrics) = event.kind {
            metrics.position?.state = state
            event.kind = .metrics(metrics)
        }
        return event
    }

    /// East, a silence, and then one event a second at `places` meters east of home.
    ///
    /// The positions of the first `staleSeconds` are stale.
    ///
    /// - Returns: What is shown of the events after the silence, and the view's end.
    private static func resumed(
        _ silence: Silence, _ settings: PrivacySettings, at places: [Double],
        first: [StreamEvent.Kind] = [], staleSeconds: Int = 0
    ) -> [ShownEvent] {
        var projection = SessionProjection(.hiding(settings))
        projection.note(.beginning)
        var shown: [ShownEvent] = []
        func take(_ event: StreamEvent, late: Double) {
            projection.take(
                event, at: RecordOffset(rawValue: UInt64(event.deviceTime.microseconds)),
                arrival: event.deviceTime.advanced(bySeconds: late), into: &shown)
        }
        for second in 0..<out { take(metrics(Double(second), east: 3 * Double(second)), late: 0) }
        let begin = Double(out - 1) + silence.device
        let late = silence.arrival - silence.device
        let count = shown.count
        for kind in first {
            take(StreamEvent(deviceTime: Fixture.time(begin), kind: kind), late: late)
        }
        for (index, place) in places.enumerated() {
            let second = begin + Double(index)
            let state = index < staleSeconds ? ValueState.stale : .live
            take(metrics(second, east: place, state), late: late)
        }
        projection.advance(to: Fixture.time(1_000_000), into: &shown)
        return Array(shown.dropFirst(count))
    }

    private static let fromHome = (0..<600).map { -3 * Double(max(0, $0 - 100)) }

    @Test(
        arguments: [Silence(device: 60, arrival: 60), Silence(device: 480, arrival: 480)]
            + [Silence(device: 480, arrival: 1), Silence(device: 1, arrival: 480)],
        [
            SessionProjectionTests.settings([zone]),
            SessionProjectionTests.settings([zone], finish: 300),
        ])
    private func `Nothing tells that it sends from home before its first visible point`(
        silence: Silence, settings: PrivacySettings
    ) throws {
        let shown = Self.resumed(
            silence, settings, at: Self.fromHome, first: [.zoneChanged(from: 1, to: 2)])
        guard case .metrics(let first)? = shown.first(where: { !$0.isEnd })?.event.kind else {
            Issue.record("nothing is shown of the way from home")
            return
        }
        #expect(first.state == .live && first.position != nil)
        // The seconds at home and in the zone do not count.
        #expect(first.elapsedSeconds < 1000 + 2)
    }

    @Test func `After a shorter silence the moment is told`() throws {
        let shown = Self.resumed(
            Silence(device: 59, arrival: 59), SessionProjectionTests.settings([Self.zone]),
            at: Self.fromHome)
        let first = try #require(SessionProjectionTests.metrics(in: shown).first)
        #expect(first.state == .waiting)
    }

    @Test(arguments: [
        (Silence(device: 120, arrival: 120), 0), (Silence(device: 1, arrival: 120), 2),
    ])
    private func `In view it is shown again with the first live position`(
        silence: Silence, staleSeconds: Int
    ) throws {
        let shown = Self.resumed(
            silence, SessionProjectionTests.settings([Self.zone]), at: [2997, 2997, 3000],
            first: [.marker("hidden until a position is known")], staleSeconds: staleSeconds)
        #expect(shown.allSatisfy { if case .marker = $0.event.kind { false } else { true } })
        let metrics = SessionProjectionTests.metrics(in: shown)
        #expect(metrics.first?.state == .live && metrics.first?.position?.state == .live)
    }

    @Test func `An alert whose time was set before comes in the silence`() {
        let alert = Alert(kind: .safetyTimer, severity: .significant, phase: .triggered)
        let shown = Self.resumed(
            Silence(device: 120, arrival: 120), SessionProjectionTests.settings([Self.zone]),
            at: [], first: [.alert(alert)])
        #expect(shown.first?.event.kind == .alert(alert))
    }
}

extension ShownEvent {
    /// Whether it belongs to the end of a view.
    fileprivate var isEnd: Bool {
        switch event.kind {
        case .ended: true
        case .metrics(let metrics): metrics.state == .ended
        default: false
        }
    }
}
