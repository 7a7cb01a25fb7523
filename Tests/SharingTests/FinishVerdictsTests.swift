import SensorModel
import Testing

@testable import Sharing

/// Readings that use what an earlier pass decided, beside a reading of the whole session.
@Suite struct FinishVerdictsTests {
    /// An event, its offset and its arrival.
    struct Recorded {
        let event: StreamEvent
        let offset: RecordOffset
        let arrival: Timestamp
    }

    /// A run with calls for help, markers, and silences in which a view may end.
    static func run(seconds: Int, _ generator: inout SeededGenerator) -> [Recorded] {
        let track = Track.random(
            from: SessionProjectionTests.home, count: seconds, stepMeters: 6, &generator)
        var events: [StreamEvent] = []
        var pause = 0.0
        var arrivals: [Timestamp] = []
        for (second, point) in track.points.enumerated() {
            if Int.random(in: 0..<300, using: &generator) == 0 {
                pause += .random(in: 0...2000, using: &generator)
            }
            let arrival = Fixture.time(Double(second) + pause)
            events.append(SessionProjectionTests.metrics(second, at: second < 5 ? nil : point))
            arrivals.append(arrival)
            let kind: StreamEvent.Kind
            switch Int.random(in: 0..<150, using: &generator) {
            case 0: kind = .alert(Alert(kind: .sos, severity: .emergency, phase: .triggered))
            case 1: kind = .marker("here")
            default: continue
            }
            events.append(StreamEvent(deviceTime: Fixture.time(Double(second)), kind: kind))
            arrivals.append(arrival)
        }
        return zip(events, arrivals).enumerated().map { index, pair in
            Recorded(
                event: pair.0, offset: RecordOffset(rawValue: UInt64(10 * index + 10)),
                arrival: pair.1)
        }
    }

    static func take(
        _ records: some Sequence<Recorded>, by projection: inout SessionProjection,
        noting index: inout ProjectionIndex
    ) -> [ShownEvent] {
        var shown: [ShownEvent] = []
        for record in records {
            projection.take(record.event, at: record.offset, arrival: record.arrival, into: &shown)
            index.note(projection, after: record.offset, deviceTime: record.event.deviceTime)
        }
        return shown
    }

    /// One pass over the records from the index's last checkpoint on, as the daemon makes it.
    static func extend(
        _ index: inout ProjectionIndex, over records: ArraySlice<Recorded>, _ rule: ProjectionRule
    ) {
        let last = index.extend(to: records.count)
        let now = records.last?.arrival ?? Fixture.start
        var projection = last?.projection ?? SessionProjection(rule)
        projection.use(index.verdicts, extends: true)
        let next = last?.next ?? RecordOffset(rawValue: 0)
        _ = take(records.filter { $0.offset >= next }, by: &projection, noting: &index)
        index.end(projection, at: now)
    }

    /// The first difference between readings from any place and the whole; `nil`: there is none.
    static func difference(
        _ records: [Recorded], _ rule: ProjectionRule, passes: [Int],
        _ generator: inout SeededGenerator
    ) -> String? {
        var whole = SessionProjection(rule)
        var unused = ProjectionIndex()
        let shown = take(records, by: &whole, noting: &unused)
        var index = ProjectionIndex()
        for end in passes { extend(&index, over: records[..<end], rule) }
        for _ in 0..<20 {
            let place = RecordOffset(
                rawValue: .random(in: 0...UInt64(10 * records.count), using: &generator))
            let checkpoint = index.checkpoint(before: place)
            var projection = checkpoint?.projection ?? SessionProjection(rule)
            projection.use(index.verdicts)
            let next = checkpoint?.next ?? RecordOffset(rawValue: 0)
            let read = take(
                records.filter { $0.offset >= next }, by: &projection, noting: &unused)
            let wanted = shown.filter { $0.offset > place }
            if read.filter({ $0.offset > place }) != wanted {
                return "from \(place.rawValue), read from \(next.rawValue)"
            }
        }
        return nil
    }

    @Test(arguments: UInt64(1)...40)
    func `A reading from anywhere shows what a reading of the whole shows`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let records = Self.run(seconds: 1500, &generator)
        var settings = SessionProjectionTests.settings(
            Bool.random(using: &generator)
                ? [Track.zone(around: SessionProjectionTests.home, radius: 250)] : [],
            finish: 150)
        settings.finishSecondsLate = .random(in: 20...1000, using: &generator)
        let passes = [Int.random(in: 0...records.count, using: &generator), records.count]
        let difference = Self.difference(records, .hiding(settings), passes: passes, &generator)
        #expect(difference == nil)
    }

    @Test func `A backlog that is released early is shown alike`() {
        var generator = SeededGenerator(seed: 3)
        let records = Self.run(seconds: 12_000, &generator).map {
            // All of it arrives within some minutes.
            Recorded(
                event: $0.event, offset: $0.offset,
                arrival: Fixture.time($0.arrival.seconds(since: Fixture.start) / 50))
        }
        let rule = ProjectionRule.hiding(SessionProjectionTests.settings([], finish: 150))
        let difference = Self.difference(
            records, rule, passes: [records.count / 2, records.count], &generator)
        #expect(difference == nil)
    }

    /// What makes a seek cheap: nothing is held back, so nothing behind the moment has to be read.
    @Test func `What is decided is shown at once`() throws {
        var generator = SeededGenerator(seed: 1)
        let records = Self.run(seconds: 3000, &generator)
        let rule = ProjectionRule.hiding(SessionProjectionTests.settings([], finish: 150))
        var index = ProjectionIndex()
        Self.extend(&index, over: records[...], rule)
        var projection = SessionProjection(rule)
        projection.use(index.verdicts)
        let decided = try #require(index.verdicts.through)
        for record in records where record.offset <= decided {
            var shown: [ShownEvent] = []
            projection.take(record.event, at: record.offset, arrival: record.arrival, into: &shown)
            #expect(projection.firstHeld == nil)
        }
    }

    @Test func `A run that changes sides without end takes bounded memory`() {
        var verdicts = FinishVerdicts()
        for number in UInt64(1)...5000 {
            verdicts.append(
                FinishVerdicts.Verdict(isNear: number % 2 == 0, releasedEarly: nil),
                at: RecordOffset(rawValue: number))
        }
        #expect(verdicts.bytes <= 80 << 10)
        #expect(verdicts.verdict(at: RecordOffset(rawValue: 1000))?.isNear == true)
        #expect(verdicts.verdict(at: RecordOffset(rawValue: 4000)) == nil)
    }
}
