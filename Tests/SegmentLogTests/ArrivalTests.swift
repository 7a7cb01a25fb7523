import FaultyDisk
import SegmentLog
import SensorModel
import Testing

@Suite struct ArrivalTests {
    /// Idle times around the limit of a 40-bit microsecond count since the segment was made.
    @Test(arguments: [0, 6.3, 6.4, 12.8, 400])
    func `The first record after idle days keeps its arrival time`(days: Double) throws {
        for isFailing in [false, true] {
            let fixture = try LogFixture()
            let time = LogFixture.start.advanced(bySeconds: days * 86_400)
            if isFailing {
                fixture.disk.fail(SimulatedDisk.Fault(kind: .inputOutput, call: fixture.disk.calls))
            }
            let offset = fixture.log.appendSession(
                LogFixture.runner, device: LogFixture.device, deviceTime: time,
                arrivalTime: time, payload: [1].span)
            #expect(offset == RecordOffset(rawValue: UInt64(time.microseconds)))
            fixture.log.syncAppended()
            #expect(try fixture.contents().records.map(\.header.arrivalTime) == [time])
            fixture.log.close()
            let again = try LogFixture(disk: fixture.disk.killed())
            #expect(try fixture.contents(of: again.log.reader()).records.count == 1)
            #expect(again.log.summary(of: LogFixture.runner)?.arrivalTimes == time...time)
            #expect(try again.log.reader().verify().damaged.isEmpty)
        }
    }

    /// The daemon took the records of two sessions from two queues.
    @Test func `Readers wait for the earliest arrival, whatever was appended before it`() throws {
        let fixture = try LogFixture()
        func append(at seconds: Double) {
            let time = LogFixture.start.advanced(bySeconds: seconds)
            _ = fixture.log.append(
                .tick, session: LogFixture.runner, device: LogFixture.device, sequence: .none,
                deviceTime: time, arrivalTime: time, payload: Span())
        }
        let arrivals: [Double] = [10, 3, 20, 3.5, 40, 7, 9]
        let found = arrivals.map { seconds -> Double? in
            append(at: seconds)
            return fixture.log.reader().unreadableSince?.seconds(since: LogFixture.start)
        }
        #expect(found == [10, 3, 3, 3, 3, 3, 3])
        fixture.log.syncAppended()
        #expect(fixture.log.reader().unreadableSince == nil)
        append(at: 8)
        #expect(
            fixture.log.reader().unreadableSince?.seconds(since: LogFixture.start) == 8)
    }

    @Test func `No crash makes a log use a number that memory had given out`() throws {
        var fixture = try LogFixture(
            configuration: LogConfiguration(segmentBytesMax: 1 << 30, reserveBytes: 0))
        fixture.head()
        fixture.log.syncAppended()
        let synced = fixture.disk.killed()
        // Empty records until the memory limit is reached.
        var last = RecordOffset(rawValue: 0)
        while let offset = fixture.log.append(
            .tick, session: LogFixture.runner, device: LogFixture.device, sequence: .none,
            deviceTime: LogFixture.start,
            arrivalTime: LogFixture.start, payload: Span())
        {
            last = offset
        }
        #expect(last.rawValue > 2_000_000)
        let again = try LogFixture(disk: synced)
        #expect(again.log.nextOffset > last)
    }
}
