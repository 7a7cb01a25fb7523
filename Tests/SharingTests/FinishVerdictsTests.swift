import SensorModel
import Testing

@testable import Sharing

/// Readings that reuse an earlier pass's verdicts, compared with a reading of the whole session.
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
        _ records: some Sequence<Recorded>, by projection: inout SessionProjection
    ) -> [ShownEvent] {
        var shown: [ShownEvent] = []
        for record in records {
            projection.take(record.event, at: record.offset, arrival: record.arrival, into: &shown)
        }
        return shown
    }

    /// Extends an index over further records, some time after the last one.
    static func extend(
        _ index: inout ProjectionIndex, over records: ArraySlice<Recorded>, afterSeconds: Double = 0
    ) {
        let now = (records.last?.arrival ?? Fixture.start).advanced(bySeconds: afterSeconds)
        let isWhole = index.extend(to: records.count, at: now) { from, until, mark, body in
            if from == nil { mark(.beginning) }
            for record in records
            where from.map({ record.offset >= $0 }) ?? true
                && until.map({ record.offset < $0 }) ?? true
            {
                body((record.event, record.offset, record.arrival))
            }
            return true
        }
        #expect(isWhole)
    }

    /// The first difference between partial readings and the whole one; `nil`: none.
    static func difference(
        _ records: [Recorded], _ rule: ProjectionRule, passes: [Int],
        _ generator: inout SeededGenerator
    ) -> String? {
        var whole = SessionProjection(rule)
        whole.note(.beginning)
        let shown = take(records, by: &whole)
        var index = ProjectionIndex(rule)
        for end in passes {
            // A decision by time alone holds until another record comes.
            let isLast = end == records.count
            let wait = isLast ? 0 : Double.random(in: 0...2000, using: &generator)
            extend(&index, over: records[..<end], afterSeconds: wait)
            // Memory is short, so held data is dropped.
            if Bool.random(using: &generator) {
                let before = index.bytes
                index = index.withoutHeld()
                if index.hasHeld || index.bytes > before { return "events are kept" }
            }
        }
        for _ in 0..<20 {
            let place = RecordOffset(
                rawValue: .random(in: 0...UInt64(10 * records.count), using: &generator))
            let checkpoint = index.checkpoint(before: place)
            var projection = checkpoint?.projection ?? SessionProjection(rule)
            if checkpoint == nil { projection.note(.beginning) }
            projection.use(index.verdicts)
            let next = checkpoint?.next ?? RecordOffset(rawValue: 0)
            let read = take(records.filter { $0.offset >= next }, by: &projection)
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
        let passes =
            (0..<4).map { _ in Int.random(in: 0...records.count, using: &generator) }.sorted()
            + [records.count]
        let difference = Self.difference(records, .hiding(settings), passes: passes, &generator)
        #expect(difference == nil)
    }

    @Test func `A backlog that is released early is shown alike`() {
        var generator = SeededGenerator(seed: 3)
        let records = Self.run(seconds: 12_000, &generator).map {
            // All records arrive within some minutes.
            Recorded(
                event: $0.event, offset: $0.offset,
                arrival: Fixture.time($0.arrival.seconds(since: Fixture.start) / 50))
        }
        let rule = ProjectionRule.hiding(SessionProjectionTests.settings([], finish: 150))
        let difference = Self.difference(
            records, rule, passes: [records.count / 2, records.count], &generator)
        #expect(difference == nil)
        // A seek to a record that was released at once also begins reading near it.
        var index = ProjectionIndex(rule)
        Self.extend(&index, over: records[...])
        for record in records where record.offset <= index.verdicts.through ?? record.offset {
            guard let checkpoint = index.checkpoint(before: record.offset) else { continue }
            #expect(record.event.deviceTime.seconds(since: checkpoint.deviceTime) < 300)
        }
    }

    /// A seek is cheap because nothing is held back, so no later records have to be read.
    @Test func `What is decided is shown at once`() throws {
        var generator = SeededGenerator(seed: 1)
        let records = Self.run(seconds: 3000, &generator)
        let rule = ProjectionRule.hiding(SessionProjectionTests.settings([], finish: 150))
        var index = ProjectionIndex(rule)
        Self.extend(&index, over: records[...])
        var projection = SessionProjection(rule)
        projection.note(.beginning)
        projection.use(index.verdicts)
        let decided = try #require(index.verdicts.through)
        for record in records where record.offset <= decided {
            var shown: [ShownEvent] = []
            projection.take(record.event, at: record.offset, arrival: record.arrival, into: &shown)
            #expect(projection.firstHeld == nil)
        }
    }

    @Test func `An extension reads what is new, and nothing again`() {
        var generator = SeededGenerator(seed: 2)
        let records = Self.run(seconds: 3000, &generator)
        let rule = ProjectionRule.hiding(SessionProjectionTests.settings([], finish: 150))
        var index = ProjectionIndex(rule)
        var read = 0
        for end in stride(from: 100, through: records.count, by: 7) {
            _ = index.extend(to: end, at: records[end - 1].arrival) { from, until, mark, body in
                mark(.beginning)
                for record in records[..<end]
                where from.map({ record.offset >= $0 }) ?? true
                    && until.map({ record.offset < $0 }) ?? true
                {
                    body((record.event, record.offset, record.arrival))
                    read += 1
                }
                return true
            }
        }
        // One read to decide, one to copy.
        #expect(read <= 2 * records.count)
        #expect(read > records.count)
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
