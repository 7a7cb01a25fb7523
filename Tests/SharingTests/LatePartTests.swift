import SensorModel
import Testing

@testable import Sharing

/// Late parts of a run, clock changes and receiver outages do not change what is hidden.
@Suite struct LatePartTests {
    private static let home = SessionProjectionTests.home

    private static func settings(
        zone: Bool = false, start: Double = 0, finish: Double = 0
    ) -> PrivacySettings {
        PrivacySettings(
            zones: zone ? [Track.zone(around: home, radius: 300)] : [], trimStartMeters: start,
            trimFinishMeters: finish, salt: 7)
    }

    /// The metrics of one second.
    ///
    /// - Parameters:
    ///   - device: Device time, seconds.
    ///   - elapsed: Session time, seconds.
    ///   - east: Meters from home; `nil`: no position.
    ///   - isStale: Whether the position is stale.
    /// - Returns: The event.
    private static func second(
        _ device: Int, elapsed: Int, east: Double?, isStale: Bool = false
    ) -> StreamEvent {
        let point = east.map { home.moved(east: $0, north: 0) }
        var event = SessionProjectionTests.metrics(elapsed, at: point)
        event.deviceTime = Fixture.time(Double(device))
        if isStale, case .metrics(var metrics) = event.kind {
            metrics.position?.state = .stale
            event.kind = .metrics(metrics)
        }
        return event
    }

    /// Projects events that arrive a second after another; at the end nothing is held back.
    private static func shown(_ events: [StreamEvent], _ settings: PrivacySettings) -> [Metrics] {
        var projection = SessionProjection(.hiding(settings))
        projection.note(.beginning)
        projection.note(.profile(isOnTreadmill: true))
        var shown: [ShownEvent] = []
        for (index, event) in events.enumerated() {
            projection.take(
                event, at: RecordOffset(rawValue: UInt64(10 * index + 10)),
                arrival: Fixture.time(Double(index)), into: &shown)
        }
        projection.advance(to: Fixture.time(1_000_000), into: &shown)
        return SessionProjectionTests.metrics(in: shown)
    }

    private static func nearest(_ shown: [Metrics]) -> Double? {
        shown.compactMap(\.position).map {
            Track.Point(latitude: $0.latitude, longitude: $0.longitude).meters(to: home)
        }.min()
    }

    /// Seconds of a run in order of arrival: away from home, or to home until second 2000.
    private static func run(_ order: [Range<Int>], toHome: Bool) -> [StreamEvent] {
        var elapsed = 0
        return order.joined().map { second in
            elapsed += 1
            let meters = 3 * Double(toHome ? max(0, 2000 - second) : second)
            return Self.second(second, elapsed: elapsed, east: meters)
        }
    }

    // The session clock skips the first 20 seconds of a late part.
    private static let orders: [[Range<Int>]] = [
        [0..<3000], [1200..<3000, 20..<1200], [1200..<2000, 20..<1200, 2000..<3000],
        [2000..<3000, 1020..<2000, 20..<1000], [100..<101, 20..<100, 101..<3000],
    ]

    @Test(arguments: orders)
    func `A trimmed start stays hidden when its part of the run comes late`(
        order: [Range<Int>]
    ) {
        let shown = Self.shown(Self.run(order, toHome: false), Self.settings(start: 300))
        #expect(Self.nearest(shown) ?? .infinity > 300)
        if order.count == 1 { #expect(Self.nearest(shown) != nil) }
    }

    @Test(arguments: [
        [0..<2400], [0..<1000, 1600..<2400, 1020..<1600],
        [0..<1000, 1600..<2400, 1020..<1600, 2400..<2600], [1000..<2400, 20..<1000],
    ])
    func `A trimmed finish stays hidden when the way to it comes late`(order: [Range<Int>]) {
        let shown = Self.shown(Self.run(order, toHome: true), Self.settings(finish: 300))
        #expect(Self.nearest(shown) ?? 0 > 300)
    }

    /// The way home until 2000 with a late part, a stand there, then silence or heart rates. A
    /// silence has the watch's estimated time and the part's last place. Heart rates before the
    /// part's positions have its time and the place before.
    @Test(arguments: [false, true])
    func `A trimmed finish stays hidden whatever comes beside a late part`(isSilence: Bool) {
        var elapsed = 2800
        let meters = { (second: Int) in 3 * Double(max(0, 2000 - second)) }
        var events = Self.run([0..<1000, 1600..<2400], toHome: true)
        if !isSilence {
            events += (1000..<1020).map { Self.second($0, elapsed: elapsed + $0 - 1000, east: 0) }
        }
        for second in 1020..<1600 {
            elapsed += 1
            events.append(Self.second(second, elapsed: elapsed, east: meters(second)))
        }
        if isSilence {
            events += (0..<120).map {
                Self.second(2401 + $0, elapsed: elapsed + $0, east: meters(1599), isStale: $0 > 3)
            }
        }
        let shown = Self.shown(events, Self.settings(finish: 300))
        #expect(Self.nearest(shown) ?? 0 > 300)
    }

    /// An old fix before the run, in seconds before it and meters from home.
    @Test(arguments: [(7200, 5000.0), (10, 5000), (7200, 3600)])
    func `An old fix does not make a late part the second one`(ago: Int, east: Double) {
        let events =
            [Self.second(-ago, elapsed: 0, east: east)]
            + Self.run([1200..<2200, 20..<1200, 2200..<2300], toHome: false)
        let shown = Self.shown(events, Self.settings(start: 300))
        #expect(Self.nearest(shown) ?? .infinity > 300)
    }

    @Test func `A late part that begins with heart rates is from before the start all the same`() {
        // A fix a minute; the first position comes alone, followed by all from home on.
        let late = (20..<1200).map { second in
            Self.second(
                second, elapsed: second, east: second < 30 ? 3600 : 180 * Double(second / 60),
                isStale: second < 30)
        }
        let back = (1201..<2400).map {
            Self.second($0, elapsed: $0, east: 3 * Double(abs(2400 - $0)))
        }
        let events = [Self.second(1200, elapsed: 0, east: 3600)] + late + back
        let shown = Self.shown(events, Self.settings(start: 300))
        #expect(Self.nearest(shown) ?? .infinity > 300)
    }

    @Test func `Positions that come after the heart rates of their time begin nobody knows where`()
    {
        let heartRates = (0..<290).map { Self.second($0, elapsed: $0, east: nil) }
        let way = (100..<240).map { Self.second($0, elapsed: 190 + $0, east: 9 * Double($0)) }
        let back = (0..<1000).map {
            Self.second(300 + $0, elapsed: 500 + $0, east: 3 * Double(abs(720 - $0)))
        }
        let shown = Self.shown(heartRates + way + back, Self.settings(start: 300))
        #expect(Self.nearest(shown) ?? .infinity > 300)
    }

    @Test(arguments: [ValueState.paused, .stale, .ended])
    func `A lost receiver stays lost when the watch pauses, stops or is silent`(state: ValueState) {
        let events = (0..<900).map { second in
            var event = Self.second(
                second, elapsed: second, east: 600 + 3 * Double(min(second, 399)),
                isStale: second >= 400)
            if second >= 700, case .metrics(var metrics) = event.kind {
                metrics.state = state
                metrics.heartRate?.beatsPerMinute = 99
                event.kind = .metrics(metrics)
            }
            return event
        }
        let shown = Self.shown(events, Self.settings(zone: true))
        #expect(!shown.contains { $0.heartRate?.beatsPerMinute == 99 })
        #expect(shown.count { $0.position?.state == .stale } <= 60)
    }

    @Test(arguments: [(true, 0.0), (false, 300)])
    func `A late part does not tell when it began`(zone: Bool, start: Double) {
        var projection = SessionProjection(
            .hiding(Self.settings(zone: zone, start: start)))
        projection.note(.beginning)
        var shown: [ShownEvent] = []
        // Heart rates with the place before; then positions.
        let heartRates = (20..<40).map { Self.second($0, elapsed: 1000 + $0, east: 6000) }
        let events =
            Self.run([1200..<2000], toHome: false) + heartRates
            + (40..<90).map { Self.second($0, elapsed: 1000 + $0, east: 3 * Double($0)) }
        for (index, event) in events.enumerated() {
            projection.take(
                event, at: RecordOffset(rawValue: UInt64(10 * index + 10)),
                arrival: Fixture.time(Double(index)), into: &shown)
        }
        #expect(shown.count > 100)
        #expect(shown.allSatisfy { $0.event.deviceTime >= Fixture.time(1200) })
        #expect(SessionProjectionTests.metrics(in: shown).last?.state == .waiting)
    }

    /// Fixes once a minute, of which the first 19 come late and are skipped. Before them are the
    /// two newest of a stand 1,000 m from home, with or without heart rates for minutes.
    @Test(arguments: [false, true])
    func `A queue of rare fixes does not hide the start behind a stand`(heartRates: Bool) {
        let way = { (second: Int) in min(1000, 1.4 * Double(second)) }
        var events = [1680, 1740].map {
            Self.second($0, elapsed: $0 - 1680, east: way($0))
        }
        if heartRates {
            events += (1..<120).map {
                Self.second(1740 + $0, elapsed: 60 + $0, east: 1000, isStale: $0 > 10)
            }
        }
        events += stride(from: 1140, to: 1680, by: 60).map {
            Self.second($0, elapsed: 200 + $0, east: way($0))
        }
        events += (1800..<2600).map {
            Self.second($0, elapsed: $0, east: abs(1000 - 3 * Double($0 - 1800)))
        }
        let shown = Self.shown(events, Self.settings(start: 300))
        #expect(Self.nearest(shown) ?? .infinity > 300)
    }

    @Test func `A first fix that comes after minutes is not the start`() {
        let before = (0..<400).map { Self.second($0, elapsed: $0, east: nil) }
        let after = (400..<1400).map {
            Self.second($0, elapsed: $0, east: 3 * Double(abs(900 - $0)))
        }
        let shown = Self.shown(before + after, Self.settings(start: 300))
        #expect(Self.nearest(shown) == nil)
        // With a treadmill in the profile, it is shown.
        #expect(!shown.isEmpty)
    }

    @Test func `A receiver is lost where only the finish is trimmed, too`() {
        // The receiver is lost 1,500 m from home and recovers 200 m from it.
        let events = (0..<2000).map { second in
            let isLost = (500..<933).contains(second)
            let east = 3 * Double(max(0, 1000 - second))
            return Self.second(
                second, elapsed: second, east: isLost ? 1500 : east, isStale: isLost)
        }
        let shown = Self.shown(events, Self.settings(finish: 300))
        #expect(shown.count { $0.position?.state == .stale } <= 60)
        #expect(Self.nearest(shown) ?? 0 > 300)
    }

    @Test func `A heart rate of the hidden part is not shown as an old one`() {
        let events = (0..<1000).map { second in
            var event = Self.second(second, elapsed: second, east: 3 * Double(second))
            if case .metrics(var metrics) = event.kind {
                let isOld = second >= 60 && second < 800
                metrics.heartRate?.beatsPerMinute = isOld || second < 60 ? 187 : 140
                metrics.heartRate?.state = isOld ? .stale : .live
                metrics.heartRate?.ageSeconds = isOld ? Double(second - 59) : 0.5
                event.kind = .metrics(metrics)
            }
            return event
        }
        let shown = Self.shown(events, Self.settings(zone: true))
        #expect(!shown.contains { $0.heartRate?.beatsPerMinute == 187 })
        #expect(shown.contains { $0.heartRate?.beatsPerMinute == 140 })
    }

    @Test(arguments: [0, 400, 7200])
    func `Five minutes without a fix have to pass, not to be jumped over`(jump: Int) {
        let events = (0..<290).map {
            Self.second($0 < 5 ? $0 : $0 + jump, elapsed: $0 < 5 ? $0 : $0 + jump, east: nil)
        }
        #expect(Self.shown(events, Self.settings(zone: true)).isEmpty)
        let more = (290..<400).map { Self.second($0 + jump, elapsed: $0 + jump, east: nil) }
        // With a treadmill in the profile, the run is shown after them.
        #expect(!Self.shown(events + more, Self.settings(zone: true)).isEmpty)
    }

    @Test(arguments: [0, -25, -1800, -172_800])
    func `A receiver is lost after a minute, whatever the clock is set to`(step: Int) {
        let events = (0..<1000).map { second in
            let isLost = second >= 400
            return Self.second(
                isLost ? second + step : second, elapsed: second,
                east: 600 + 3 * Double(min(second, 399)), isStale: isLost)
        }
        let shown = Self.shown(events, Self.settings(zone: true))
        #expect(shown.count { $0.position?.state == .stale } <= 60)
        #expect(shown.last?.state == .waiting || shown.last?.state == .ended)
    }

    @Test(arguments: [0, 300, 600])
    func `One fix after a long stand does not make the receiver slow`(stand: Int) {
        // The runner stands still, moves eight meters, and then enters a house.
        let events = (0..<(500 + stand + 1000)).map { second in
            let hasGone = second >= 500 + stand
            return Self.second(
                second, elapsed: second,
                east: 600 + 3 * Double(min(second, 499)) + (hasGone ? 8 : 0),
                isStale: second > 500 + stand)
        }
        let shown = Self.shown(events, Self.settings(zone: true))
        #expect(shown.count { $0.position?.state == .stale } <= 61)
    }
}
