import SegmentLog
import SensorModel
import Testing

@testable import Sessions

/// Arrivals of a session's events in the log, by which delayed shares show them.
@Suite struct ArrivalOrderTests {
    private static func arrivals(in fixture: FlowFixture) throws -> [Timestamp] {
        fixture.flow.log.syncAppended()
        var arrivals: [Timestamp] = []
        try fixture.flow.log.reader().read(
            from: RecordOffset(rawValue: 0), session: FlowFixture.session
        ) { header, _ in
            if header.type == .metric || header.type == .event {
                arrivals.append(header.arrivalTime)
            }
            return true
        }
        return arrivals
    }

    /// The pipeline has waited for the disk: it notes a silence before it processes the frames that
    /// arrived meanwhile.
    @Test func `Frames behind a silence that came later are of its time`() throws {
        let fixture = try FlowFixture()
        try fixture.send(10)
        for second in 11...20 { fixture.flow.advance(to: FlowFixture.time(Double(second))) }
        let silence = try #require(try Self.arrivals(in: fixture).last)
        #expect(silence > FlowFixture.time(11))
        try fixture.send(20, processedAt: FlowFixture.time(20.5))
        let arrivals = try Self.arrivals(in: fixture)
        #expect(zip(arrivals, arrivals.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(arrivals.last == FlowFixture.time(30))
        #expect(try fixture.replays())
    }

    @Test func `A clock that was set back by minutes holds no event back`() throws {
        let fixture = try FlowFixture()
        try fixture.send(60)
        fixture.clockOffset = -50
        try fixture.send(1)
        #expect(try Self.arrivals(in: fixture).last == FlowFixture.time(11))
    }
}
