import FaultyDisk
import Glibc
import SegmentLog
import SensorModel
import Synchronization
import Testing

@Suite struct SegmentLogTests {
    @Test func `What was appended is read back, now and after a restart`() throws {
        var fixture = try LogFixture()
        fixture.head()
        for type: RecordType in [.frame(.location), .metric, .event, .tick, .snapshot] {
            fixture.append(type)
        }
        fixture.append(payload: [])
        fixture.append(payload: LogFixture.payload(9, bytes: SegmentLog.payloadBytesMax))
        fixture.log.syncAppended()
        #expect(try fixture.contents().records == fixture.inOrder)
        fixture.log.close()
        let again = try LogFixture(disk: fixture.disk)
        #expect(again.log.recovery.wasClosed)
        #expect(again.log.recovery.records == 8)
        #expect(try again.contents().records == fixture.inOrder)
        #expect(try again.contents(of: LogReader(disk: fixture.disk)).records == fixture.inOrder)
        #expect(again.log.nextOffset == LogFixture.end(after: 7))
    }

    @Test func `A 100-byte wire frame takes at most 112 bytes on disk, all in all`() throws {
        var fixture = try LogFixture(configuration: LogFixture.configuration())
        fixture.head()
        for _ in 0..<20_000 { fixture.append() }
        fixture.log.close()
        let bytes = fixture.log.segments().reduce(0) { $0 + $1.bytes }
        #expect(Double(bytes) / 20_000 <= 112)
    }

    @Test func `One session is summed up as among all, over all its segments`() throws {
        var fixture = try LogFixture(
            configuration: LogConfiguration(segmentBytesMax: 64 << 10, reserveBytes: 0))
        let sessions = (1...5).map { SessionID(high: 3, low: $0) }
        for session in sessions { fixture.head(session) }
        for number in 0..<2000 { fixture.append(of: sessions[number % 4 + number / 1000]) }
        fixture.log.syncAppended()
        #expect(fixture.log.segments().count > 2)
        let all = fixture.log.sessions()
        #expect(all.map(\.session) == sessions)
        let reader = fixture.log.reader()
        for summary in all {
            #expect(fixture.log.summary(of: summary.session) == summary)
            #expect(reader.summary(of: summary.session) == summary)
        }
        #expect(fixture.log.summary(of: SessionID(high: 9, low: 9)) == nil)
    }

    @Test(arguments: [
        (1000, 0, 0, 1000), (1000, 1, 100, 5000), (1000, 1, 500, 10_000), (1000, 7, 500, 35_000),
        (1000, 9000, 500, 50_000), (1000, 1, 30_000, 50_000), (0, 0, 0, 0), (0, 3, 0, 15_000),
        (80_000, 9000, 500, 80_000),
    ]) func `The more records a sync had and the longer it took, the later is the next`(
        atLeast: Int, records: Int, took: Int, microseconds: Int
    ) {
        let configuration = LogConfiguration(syncGapMicroseconds: atLeast)
        #expect(
            configuration.syncGapMicroseconds(after: records, took: took) == microseconds)
    }

    @Test func `A flush of nothing does not silence the ones after it`() throws {
        var fixture = try LogFixture()
        try fixture.log.start()
        fixture.log.flush()
        fixture.head()
        fixture.append()
        fixture.log.flush()
        while fixture.acknowledged.durableEnd.load(ordering: .relaxed)
            < LogFixture.end(after: 1).rawValue
        { usleep(500) }
        fixture.log.close()
        #expect(fixture.log.durableEnd == LogFixture.end(after: 1))
    }

    @Test func `Nothing is durable before the sync`() throws {
        var fixture = try LogFixture()
        fixture.head()
        fixture.append()
        #expect(fixture.log.durableEnd == RecordOffset(rawValue: 0))
        #expect(fixture.log.nextOffset == LogFixture.end(after: 1))
        fixture.log.syncAppended()
        #expect(fixture.log.durableEnd == LogFixture.end(after: 1))
        #expect(
            fixture.acknowledged.durableEnd.load(ordering: .relaxed)
                == LogFixture.end(after: 1).rawValue)
    }

    @Test func `After a kill the offsets jump, so that none is used twice`() throws {
        var fixture = try LogFixture()
        fixture.head()
        fixture.append()
        fixture.log.syncAppended()
        fixture.append()
        var again = try LogFixture(disk: fixture.disk.killed())
        #expect(!again.log.recovery.wasClosed)
        #expect(again.log.nextOffset > LogFixture.end(after: 2))
        #expect(again.append() != nil)
        again.log.syncAppended()
        let read = try again.contents()
        #expect(read.records.count == 3)
        #expect(read.gaps.isEmpty)
        let third = try LogFixture(disk: again.disk.killed())
        #expect(third.log.nextOffset.rawValue >= again.log.nextOffset.rawValue + 1 << 23)
    }

    @Test func `An empty run does not give offsets back`() throws {
        var fixture = try LogFixture()
        fixture.head()
        fixture.log.syncAppended()
        let second = try LogFixture(disk: fixture.disk.killed())
        let offset = second.log.nextOffset
        second.log.close()
        let third = try LogFixture(disk: second.disk)
        #expect(third.log.nextOffset == offset)
        third.log.close()
        #expect(third.log.segments().count == 2)
    }

    @Test func `Segments follow one another without a break`() throws {
        var fixture = try LogFixture(
            configuration: LogFixture.configuration(segmentBytesMax: 10_000))
        fixture.head()
        for count in 0..<2000 {
            fixture.append()
            if count % 7 == 0 { fixture.log.syncAppended() }
        }
        fixture.log.syncAppended()
        #expect(fixture.log.segments().count > 20)
        #expect(fixture.log.segments().allSatisfy { $0.bytes <= 10_000 })
        #expect(try fixture.contents().records == fixture.inOrder)
        #expect(try fixture.log.reader().verify().damaged.isEmpty)
        fixture.log.close()
        let again = try LogFixture(disk: fixture.disk)
        #expect(try again.contents().records == fixture.inOrder)
        #expect(try LogReader(disk: fixture.disk).verify().records == 2001)
    }

    @Test func `A second daemon is refused`() throws {
        let fixture = try LogFixture()
        #expect(throws: SegmentLogError.inUse) { try LogFixture(disk: fixture.disk) }
        fixture.log.close()
        _ = try LogFixture(disk: fixture.disk)
    }

    @Test func `What the disk does not take in time is refused, and uses no number`() throws {
        var fixture = try LogFixture(
            configuration: LogConfiguration(segmentBytesMax: 1 << 20, pendingBytesMax: 8192))
        fixture.head()
        var taken = 0
        while fixture.append() != nil { taken += 1 }
        #expect(taken > 50)
        #expect(!fixture.log.hasRoom)
        #expect(fixture.log.nextOffset == LogFixture.end(after: taken))
        fixture.log.syncAppended()
        #expect(fixture.append() != nil)
        fixture.log.syncAppended()
        #expect(try fixture.contents().records == fixture.inOrder)
    }

    @Test func `A session knows its device, counts and times over all segments`() throws {
        var fixture = try LogFixture(
            configuration: LogFixture.configuration(segmentBytesMax: 8192))
        let other = SessionID(high: 1, low: 2)
        fixture.head()
        fixture.head(other)
        for count in 0..<300 {
            fixture.append(of: count % 3 == 0 ? other : LogFixture.runner)
        }
        fixture.append(.metric, of: other)
        fixture.log.syncAppended()
        let summary = try #require(fixture.log.summary(of: other))
        #expect(summary.device == LogFixture.device)
        #expect(summary.records == 102)
        #expect(summary.frames == 100)
        #expect(summary.highestSequence == FrameSequence(rawValue: 298))
        #expect(summary.firstOffset.rawValue == LogFixture.offset(0).rawValue + 1)
        #expect(summary.lastOffset == LogFixture.offset(301))
        fixture.log.close()
        #expect(try LogReader(disk: fixture.disk).summary(of: other) == summary)
        let again = try LogFixture(disk: fixture.disk)
        #expect(again.log.sessions() == fixture.log.sessions())
    }

    @Test(arguments: [LogDurability.interval(milliseconds: 5), .os])
    func `Weaker durability acknowledges what is written`(durability: LogDurability) throws {
        #expect(!durability.isDurable)
        var fixture = try LogFixture(
            configuration: LogFixture.configuration(durability: durability))
        fixture.head()
        fixture.append()
        fixture.log.syncAppended()
        #expect(fixture.log.durableEnd == LogFixture.end(after: 1))
        fixture.log.close()
        #expect(try LogReader(disk: fixture.disk).verify().records == 2)
    }

    @Test func `A full buffer is written without a flush`() throws {
        var fixture = try LogFixture(
            configuration: LogConfiguration(pendingBytesMax: 3 << 20, reserveBytes: 0))
        try fixture.log.start()
        fixture.head()
        for _ in 0..<40 {
            while fixture.append(payload: LogFixture.payload(1, bytes: 200_000)) == nil {
                usleep(200)
            }
        }
        fixture.log.close()
        #expect(fixture.log.durableEnd == fixture.log.nextOffset)
        #expect(try LogReader(disk: fixture.disk).verify().records == 41)
    }

    @Test func `Threads bring everything to disk`() throws {
        var fixture = try LogFixture(
            configuration: LogFixture.configuration(segmentBytesMax: 50_000))
        try fixture.log.start()
        fixture.head()
        for count in 0..<5000 {
            fixture.append()
            if count % 10 == 0 { fixture.log.flush() }
        }
        fixture.log.syncAppended()
        #expect(fixture.log.durableEnd == fixture.log.nextOffset)
        #expect(try fixture.contents().records == fixture.inOrder)
        fixture.log.close()
        // All observers have been notified by the end of the log's threads.
        #expect(
            fixture.acknowledged.durableEnd.load(ordering: .relaxed)
                == LogFixture.end(after: 5000).rawValue)
        #expect(try LogReader(disk: fixture.disk).verify().records == 5001)
    }
}
