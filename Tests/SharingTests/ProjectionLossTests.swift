import SensorModel
import Testing

@testable import Sharing

/// Sessions of which the log has lost records.
@Suite struct ProjectionLossTests {
    private typealias Run = SessionProjectionTests

    private enum Input { case mark(SessionProjection.Mark), position, without, far, end }

    /// A second of a run, `east` meters from the door.
    private static func second(_ second: Int, east: Double) -> StreamEvent {
        Run.metrics(second, at: Run.home.moved(east: east, north: 0))
    }

    /// Runs that lost a part, with a trimmed start, from the door to far away and to the end.
    @Test(
        arguments: [
            ([.mark(.beginning), .position, .far], true),
            ([.mark(.beginning), .without, .position, .mark(.loss), .far], true),
            ([.mark(.beginning), .position, .mark(.beginning), .far], true),
            ([.mark(.beginning), .position, .mark(.loss), .far], true),
            ([.position, .far], false),
            ([.without, .mark(.beginning), .position, .far], false),
            ([.mark(.loss), .mark(.beginning), .position, .far], false),
            ([.mark(.beginning), .mark(.loss), .position, .far], false),
            ([.mark(.beginning), .without, .mark(.loss), .position, .far], false),
            ([.mark(.loss), .without, .far], false),
        ] as [([Input], Bool)])
    private func `Where a run started is known from its first record on`(
        inputs: [Input], isShown: Bool
    ) {
        for trimFinishMeters in [0.0, 100] {
            var settings = PrivacySettings.none
            settings.trimStartMeters = 200
            settings.trimFinishMeters = trimFinishMeters
            var projection = SessionProjection(.hiding(settings))
            var shown: [ShownEvent] = []
            var second = 0
            for input in inputs + [.end] {
                let events: [StreamEvent] =
                    switch input {
                    case .mark: []
                    case .without: [Fixture.metricsEvent(Double(second), Metrics())]
                    case .position: [Self.second(second, east: 0)]
                    case .far: (1...500).map { Self.second(second + $0, east: 10 * Double($0)) }
                    case .end:
                        (1...400).map { Self.second(second + $0, east: 5000 + 10 * Double($0)) }
                    }
                if case .mark(let mark) = input { projection.note(mark) }
                for event in events {
                    let offset = event.deviceTime.seconds(since: Fixture.start) * 10 + 1
                    projection.take(
                        event, at: RecordOffset(rawValue: UInt64(offset)),
                        arrival: event.deviceTime, into: &shown)
                }
                second += events.count
            }
            projection.advance(to: Fixture.time(86_400), into: &shown)
            let last = Run.metrics(in: shown).compactMap(\.position).last
            let end = Run.home.moved(east: 9000, north: 0)
            let meters = last.map {
                Track.Point(latitude: $0.latitude, longitude: $0.longitude).meters(to: end)
            }
            #expect((last != nil) == isShown)
            #expect(meters.map { $0 < (trimFinishMeters > 0 ? 4000 : 1) } ?? true)
            #expect(meters.map { $0 > (trimFinishMeters > 0 ? 100 : -1) } ?? true)
        }
    }

    /// Retention took all of a session whose device continues.
    @Test(arguments: [true, false])
    func `After a loss a session may begin anew, with a start of its own`(beginsAnew: Bool) {
        var settings = PrivacySettings.none
        settings.trimStartMeters = 200
        var projection = SessionProjection(.hiding(settings))
        var (second, east) = (0, 0.0)
        /// Whether the runner is shown at the end of the path.
        func isShown(east end: Double) -> Bool {
            var shown: [ShownEvent] = []
            repeat {
                shown = []
                second += 1
                east = east < end ? min(east + 10, end) : max(east - 10, end)
                let event = Self.second(second, east: east)
                projection.take(
                    event, at: RecordOffset(rawValue: UInt64(second)), arrival: event.deviceTime,
                    into: &shown)
            } while east != end
            return shown.contains { $0.event.position != nil }
        }
        projection.note(.beginning)
        #expect(!isShown(east: 0))
        #expect(isShown(east: 5001))
        projection.note(.loss)
        if beginsAnew { projection.note(.beginning) }
        #expect(isShown(east: 5181) != beginsAnew)
        #expect(isShown(east: 9000))
        #expect(!isShown(east: 0))
    }

    /// Retention removed it while a viewer read it: a track trusted before does not count for the
    /// new one.
    @Test(
        arguments: [
            [SessionProjection.Mark.beginning], [.loss, .beginning],
        ], [true, false])
    func `A session that begins anew is hidden up to a trusted track of its own`(
        marks: [SessionProjection.Mark], hasBeginning: Bool
    ) {
        var settings = Run.zoned()
        settings.trimStartMeters = 0
        settings.trimFinishMeters = 0
        var projection = SessionProjection(.hiding(settings))
        if hasBeginning { projection.note(.beginning) }
        func take(_ event: StreamEvent) -> [ShownEvent] {
            var shown: [ShownEvent] = []
            projection.take(
                event, at: RecordOffset(rawValue: UInt64(event.deviceTime.microseconds)),
                arrival: event.deviceTime, into: &shown)
            return shown
        }
        func isShown(_ second: Int) -> Bool {
            !take(Self.second(second, east: 9000 + 14 * Double(second))).isEmpty
        }
        func marker(_ second: Double) -> StreamEvent {
            StreamEvent(deviceTime: Fixture.time(second), kind: .marker("here"))
        }
        for second in 1...10 { _ = isShown(second) }
        #expect(take(marker(10.2)).count == 1)
        for mark in marks { projection.note(mark) }
        #expect(take(marker(10.4)).isEmpty)
        for second in 11...18 { #expect(!isShown(second)) }
        #expect(take(marker(18.5)).isEmpty)
        #expect(isShown(19))
        #expect(take(marker(19.5)).count == 1)
    }

    /// The runner may have entered the zone in the lost stretch, and only a position can tell.
    @Test func `A lost stretch counts as hidden, and what follows is hidden up to a trusted track`()
    {
        var settings = Run.zoned()
        settings.trimStartMeters = 0
        settings.trimFinishMeters = 0
        var projection = SessionProjection(.hiding(settings))
        projection.note(.beginning)
        func take(_ event: StreamEvent) -> [ShownEvent] {
            var shown: [ShownEvent] = []
            projection.take(
                event, at: RecordOffset(rawValue: UInt64(event.deviceTime.microseconds)),
                arrival: event.deviceTime, into: &shown)
            return shown
        }
        func run(_ second: Int) -> [Metrics] {
            Run.metrics(in: take(Self.second(second, east: 9000 + 14 * Double(second))))
        }
        for second in 1...10 { _ = run(second) }
        let marker = StreamEvent(deviceTime: Fixture.time(50), kind: .marker("here"))
        #expect(take(marker).count == 1)

        projection.note(.loss)
        let later = StreamEvent(deviceTime: Fixture.time(101), kind: .marker("there"))
        #expect(take(later).isEmpty)
        let waiting = Run.metrics(in: take(Run.metrics(102, at: nil)))
        #expect(waiting.map(\.state) == [.waiting])
        #expect(waiting.map(\.distanceMeters) == [27])
        for second in 103...110 { #expect(run(second).isEmpty) }
        // The distance since the track's start counts, because the track never was in the zone.
        let back = run(111)
        #expect(back.map(\.distanceMeters) == [27 + 3 * 8])
        #expect(back.allSatisfy { $0.position != nil })
        #expect(run(112).map(\.distanceMeters) == [27 + 3 * 9])
    }

    /// A run without a fix, as on a treadmill, may have had one in the lost part.
    @Test(arguments: [true, false]) func `Without its beginning a run may have had a fix`(
        hasBeginning: Bool
    ) {
        var settings = Run.zoned()
        settings.trimStartMeters = 0
        settings.trimFinishMeters = 0
        var projection = SessionProjection(.hiding(settings))
        if hasBeginning { projection.note(.beginning) }
        projection.note(.profile(isOnTreadmill: true))
        var shown: [ShownEvent] = []
        for second in 0..<400 {
            let event = Run.metrics(second, at: nil)
            projection.take(
                event, at: RecordOffset(rawValue: UInt64(second) * 10 + 1),
                arrival: event.deviceTime, into: &shown)
        }
        #expect(Run.metrics(in: shown).contains { $0.heartRate != nil } == hasBeginning)
    }
}
