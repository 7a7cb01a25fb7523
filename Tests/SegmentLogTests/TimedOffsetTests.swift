import FaultyDisk
import SegmentLog
import SensorModel
import Testing

/// Offsets are arrival times, so two of them tell nothing about records between them.
@Suite struct TimedOffsetTests {
    private static let other = SessionID(high: 5, low: 0x8000_0000_0000_0006)

    /// A record of `session`, `seconds` after the start of the test.
    private static func append(
        _ log: SegmentLog, _ session: SessionID = LogFixture.runner, at seconds: Double
    ) -> RecordOffset? {
        let time = LogFixture.start.advanced(bySeconds: seconds)
        return log.append(
            .frame(.motion), session: session, device: LogFixture.device, sequence: .none,
            deviceTime: time,
            arrivalTime: time, payload: LogFixture.payload(1).span)
    }

    @Test(arguments: [0, 1, 1000])
    func `What others send changes no offset of a session`(others: Int) throws {
        var fixture = try LogFixture()
        fixture.head()
        fixture.head(Self.other)
        for count in 0..<others {
            #expect(Self.append(fixture.log, Self.other, at: 1 + Double(count) / 100_000) != nil)
        }
        let offset = try #require(Self.append(fixture.log, at: 20))
        #expect(offset.rawValue == UInt64(LogFixture.start.microseconds) + 20_000_000)
    }

    @Test func `Records that arrive at once, or after a clock was set back, are counted`() throws {
        var fixture = try LogFixture()
        fixture.head()
        let seconds = [5.0, 5, 5, 4, -86_400, 5.000_001, 6]
        let offsets = seconds.compactMap { Self.append(fixture.log, at: $0) }
        let first = LogFixture.start.microseconds + 5_000_000
        #expect(
            offsets.map { Int64($0.rawValue) - first } == [0, 1, 2, 3, 4, 5, 1_000_000])
        fixture.log.syncAppended()
        var read: [RecordOffset] = []
        try fixture.log.reader().read(from: offsets[0]) { header, _ in
            read.append(header.offset)
            return true
        }
        #expect(read == offsets)
        #expect(try fixture.log.reader().verify().damaged.isEmpty)
    }

    @Test func `A clock that is centuries wrong numbers nothing`() throws {
        var fixture = try LogFixture()
        fixture.head()
        let wrong = try #require(Self.append(fixture.log, at: 9e9))
        #expect(wrong == LogFixture.end(after: 0))
        #expect(Self.append(fixture.log, at: 0.02) == LogFixture.offset(2))
        fixture.log.syncAppended()
        #expect(try fixture.contents().records.count == 3)
    }

    /// The lost records may be the first of a turn, so the rest of the turn has no certain offset.
    @Test(arguments: 40_000..<40_120)
    func `After damage no record has another's offset`(place: Int) throws {
        var fixture = try LogFixture()
        fixture.head()
        var offsets: [RecordOffset: [UInt8]] = [:]
        for count in 0..<600 {
            let time = LogFixture.start.advanced(bySeconds: Double(count / 7))
            let payload = LogFixture.payload(UInt32(count))
            let offset = fixture.log.append(
                .frame(.motion), session: LogFixture.runner, device: LogFixture.device,
                sequence: .none, deviceTime: time,
                arrivalTime: time, payload: payload.span)
            offsets[try #require(offset)] = payload
        }
        fixture.log.close()
        let name = "000000000001.segment"
        var bytes = fixture.disk.content(of: name)
        bytes[place] ^= 0x55
        fixture.disk.replace(name, with: bytes)
        let again = try LogFixture(disk: fixture.disk)
        let read = try again.contents()
        for record in read.records.dropFirst() {
            #expect(offsets[record.header.offset] == record.payload)
        }
        #expect(read.records.count >= 601 - 7)
        #expect(read.gaps.count <= 1)
    }

    @Test(arguments: [-3600.0, -1, 0, 3600])
    func `After a crash no offset is used again, wherever the clock stands`(seconds: Double) throws
    {
        var fixture = try LogFixture()
        fixture.head()
        for _ in 0..<100 { fixture.append() }
        fixture.log.syncAppended()
        // Viewers have seen these records, which are then lost.
        for _ in 0..<50 { fixture.append() }
        let last = try #require(fixture.used.max())
        let log = try SegmentLog.open(
            disk: fixture.disk.withoutUnsynced(), configuration: LogFixture.configuration(),
            now: LogFixture.start.advanced(bySeconds: 1 + seconds))
        #expect(log.nextOffset > last)
        #expect(log.reader().isInSegment(LogFixture.offset(50)))
        #expect(!log.reader().isInSegment(last))
    }

    /// Its offsets are counted, and its version says that none is an arrival time.
    @Test func `A log of the first format is read, and goes on`() throws {
        let old = LogFixture.start.advanced(bySeconds: -1_800_000_000)
        let disk = SimulatedDisk()
        let log = try SegmentLog.open(
            disk: disk, configuration: LogFixture.configuration(), now: old)
        let head = log.appendSession(
            LogFixture.runner, device: LogFixture.device, deviceTime: old, arrivalTime: old,
            payload: [1].span)
        #expect(head?.rawValue == 0)
        for count in 1..<200 {
            let offset = Self.append(log, at: -1_800_000_000 + Double(count))
            #expect(offset?.rawValue == UInt64(count))
        }
        log.close()
        let name = "000000000001.segment"
        disk.replace(name, with: LogFixture.firstFormat(disk.content(of: name)))
        var again = try LogFixture(disk: disk)
        #expect(again.log.recovery.records == 200)
        #expect(again.log.nextOffset.rawValue == 200)
        again.head(Self.other)
        again.append(of: LogFixture.runner)
        again.log.syncAppended()
        let offsets = try again.contents().records.map(\.header.offset.rawValue)
        let now = UInt64(LogFixture.start.microseconds)
        #expect(offsets == (0..<200).map(UInt64.init) + [now, now + 10_000])
        #expect(try again.log.reader().verify().damaged.isEmpty)
    }
}
