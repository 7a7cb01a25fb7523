import SensorModel
import Testing

@testable import Sharing

/// Sessions of which the log has lost records.
@Suite struct ProjectionLossTests {
    private typealias Run = SessionProjectionTests

    private enum Input { case mark(SessionProjection.Mark), position, without, far, end }

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
            for (second, input) in (inputs + [.end]).enumerated() {
                let event =
                    switch input {
                    case .mark, .without: Fixture.metricsEvent(Double(second), Metrics())
                    case .position: Run.metrics(second, at: Run.home)
                    case .far:
                        Run.metrics(second, at: Run.home.moved(east: 5000, north: 0))
                    case .end: Run.metrics(second, at: Run.home.moved(east: 9000, north: 0))
                    }
                if case .mark(let mark) = input {
                    projection.note(mark)
                } else {
                    projection.take(
                        event, at: RecordOffset(rawValue: UInt64(second) * 10 + 1),
                        arrival: event.deviceTime, into: &shown)
                }
            }
            projection.advance(to: Fixture.time(86_400), into: &shown)
            let positions = Run.metrics(in: shown).count { $0.position != nil }
            #expect(positions == (isShown ? trimFinishMeters > 0 ? 1 : 2 : 0))
        }
    }

    /// As when retention took all of a session whose device goes on.
    @Test(arguments: [true, false])
    func `After a loss a session may begin anew, with a start of its own`(beginsAnew: Bool) {
        var settings = PrivacySettings.none
        settings.trimStartMeters = 200
        var projection = SessionProjection(.hiding(settings))
        func isShown(_ second: Int, east: Double) -> Bool {
            let event = Run.metrics(second, at: Run.home.moved(east: east, north: 0))
            var shown: [ShownEvent] = []
            projection.take(
                event, at: RecordOffset(rawValue: UInt64(second)), arrival: event.deviceTime,
                into: &shown)
            return Run.metrics(in: shown).contains { $0.position != nil }
        }
        projection.note(.beginning)
        #expect(!isShown(1, east: 0))
        #expect(isShown(2, east: 5000))
        projection.note(.loss)
        if beginsAnew { projection.note(.beginning) }
        #expect(isShown(3, east: 5010) != beginsAnew)
        #expect(isShown(4, east: 9000))
        #expect(!isShown(5, east: 0))
    }

    /// The runner may have entered the zone in it, and only a position says where it is now.
    @Test func `A lost stretch counts as hidden, and what follows is hidden up to a position`() {
        var settings = Run.zoned()
        settings.trimStartMeters = 0
        settings.trimFinishMeters = 0
        let far = Run.home.moved(east: 9000, north: 0)
        var projection = SessionProjection(.hiding(settings))
        projection.note(.beginning)
        func take(_ event: StreamEvent) -> [ShownEvent] {
            var shown: [ShownEvent] = []
            projection.take(
                event, at: RecordOffset(rawValue: UInt64(event.deviceTime.microseconds)),
                arrival: event.deviceTime, into: &shown)
            return shown
        }
        for second in 1...10 { _ = take(Run.metrics(second, at: far)) }
        let marker = StreamEvent(deviceTime: Fixture.time(100), kind: .marker("here"))
        #expect(take(marker).count == 1)

        projection.note(.loss)
        let later = StreamEvent(deviceTime: Fixture.time(101), kind: .marker("there"))
        #expect(take(later).isEmpty)
        let waiting = Run.metrics(in: take(Run.metrics(102, at: nil)))
        #expect(waiting.map(\.state) == [.waiting])
        #expect(waiting.map(\.distanceMeters) == [27])
        let back = Run.metrics(in: take(Run.metrics(103, at: far)))
        #expect(back.map(\.distanceMeters) == [27])
        #expect(back.allSatisfy { $0.position != nil })
        #expect(Run.metrics(in: take(Run.metrics(104, at: far))).map(\.distanceMeters) == [30])
    }

    /// A run without a fix, as on a treadmill: it may have had one in what was lost.
    @Test(arguments: [true, false]) func `Without its beginning a run may have had a fix`(
        hasBeginning: Bool
    ) {
        var settings = Run.zoned()
        settings.trimStartMeters = 0
        settings.trimFinishMeters = 0
        var projection = SessionProjection(.hiding(settings))
        if hasBeginning { projection.note(.beginning) }
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
