import Bytes
import FaultyDisk
import SegmentLog
import SensorModel
import Synchronization
import Testing

@Suite struct LogReaderTests {
    @Test func `A session is read alone, from any offset`() throws {
        var fixture = try LogFixture(
            configuration: LogFixture.configuration(segmentBytesMax: 20_000))
        let sessions = (0..<5).map { SessionID(high: UInt64($0), low: 8) }
        for session in sessions { fixture.head(session) }
        for count in 0..<2000 { fixture.append(of: sessions[count * count % 5]) }
        fixture.log.syncAppended()
        for session in sessions {
            for sequence in [0, 3, 4, 700, 701, 1999, 2004, 5000] {
                let from = LogFixture.offset(sequence).rawValue
                let expected = fixture.inOrder.filter {
                    $0.header.session == session && $0.header.offset.rawValue >= from
                }
                let read = try fixture.contents(from: from, session: session)
                #expect(read.records == expected)
                #expect(read.gaps.isEmpty)
            }
        }
    }

    @Test func `Reading stops where it is told to, and goes on from there`() throws {
        var fixture = try LogFixture(
            configuration: LogFixture.configuration(segmentBytesMax: 8192))
        fixture.head()
        for _ in 0..<500 { fixture.append() }
        fixture.log.syncAppended()
        var next = RecordOffset(rawValue: 0)
        var records: [RecordOffset] = []
        while next < fixture.log.nextOffset {
            var taken = 0
            next = try fixture.log.reader().read(from: next) { header, _ in
                records.append(header.offset)
                taken += 1
                return taken < 7
            }
        }
        #expect(records == fixture.inOrder.map(\.header.offset))
        var counted = 0
        let end = try fixture.log.reader().read(
            from: LogFixture.offset(100), until: LogFixture.offset(130)
        ) { _, _ in
            counted += 1
            return true
        }
        #expect(counted == 30)
        #expect(end == LogFixture.offset(130))
    }

    @Test func `What is not written yet is not read`() throws {
        var fixture = try LogFixture()
        fixture.head()
        fixture.append()
        fixture.log.syncAppended()
        fixture.append()
        let reader = fixture.log.reader()
        #expect(fixture.log.writtenEnd == LogFixture.end(after: 1))
        #expect(try fixture.contents(of: reader).records.count == 2)
        let arrival = try #require(fixture.inOrder.last?.header.arrivalTime)
        let since = try #require(reader.unreadableSince)
        #expect((0..<1).contains(arrival.seconds(since: since)))
        for _ in 0..<250 { fixture.append() }
        #expect(reader.unreadableSince == since)
        fixture.log.syncAppended()
        #expect(reader.unreadableSince == nil)
        #expect(try fixture.contents(of: reader).records.count == 253)
    }

    @Test func `The newest record of a kind before a moment is found by few reads`() throws {
        var fixture = try LogFixture(
            configuration: LogFixture.configuration(segmentBytesMax: 200_000))
        let other = SessionID(high: 9, low: 8)
        fixture.head()
        fixture.head(other)
        for count in 1...6000 {
            let type: RecordType =
                count % 600 == 0 ? .snapshot : count % 100 == 0 ? .metric : .frame(.motion)
            fixture.append(type, of: count % 2 == 0 ? LogFixture.runner : other)
        }
        fixture.log.syncAppended()
        for reader in [fixture.log.reader(), try LogReader(disk: fixture.disk)] {
            for sample in [0, 1, 99, 100, 599, 600, 601, 1200, 3333, 5999, 6000, 9999] {
                let time = LogFixture.start.advanced(byMicroseconds: Int64(sample) * 10_000)
                for type: RecordType in [.snapshot, .metric, .frame(.location)] {
                    let expected = fixture.inOrder.last {
                        $0.header.session == LogFixture.runner && $0.header.deviceTime <= time
                            && $0.header.type.name == type.name
                    }
                    let found = try reader.newest(
                        type, of: LogFixture.runner, notAfter: time)
                    #expect(found == expected?.header.offset)
                }
            }
        }
    }

    @Test func `Behind a session's last record in a segment nothing is read`() throws {
        let other = SessionID(high: 9, low: 8)
        var fixture = try LogFixture()
        fixture.head()
        for _ in 0..<100 { fixture.append() }
        fixture.head(other)
        for _ in 0..<6000 { fixture.append(of: other) }
        fixture.log.syncAppended()
        let segment = try #require(fixture.log.segments().first)
        // More than a reader takes at once lies between the two.
        fixture.disk.state.withLock { $0.unreadable[segment.name] = 500_000..<segment.bytes }
        let kept = fixture.inOrder.filter { $0.header.session == LogFixture.runner }
        #expect(try fixture.contents(session: LogFixture.runner).records == kept)
        #expect(throws: SegmentLogError.self) { try fixture.contents(session: other) }
    }

    @Test func `Sessions are read together without what lies between them`() throws {
        let (other, between) = (SessionID(high: 9, low: 8), SessionID(high: 9, low: 9))
        var fixture = try LogFixture(
            configuration: LogFixture.configuration(segmentBytesMax: 100_000))
        for session in [LogFixture.runner, other, between] { fixture.head(session) }
        for (session, count) in [
            (LogFixture.runner, 20), (other, 20), (between, 5000), (other, 10),
            (LogFixture.runner, 10), (between, 100),
        ] {
            for _ in 0..<count { fixture.append(of: session) }
        }
        fixture.log.syncAppended()
        let last = try #require(fixture.inOrder.last).header.offset
        // A reader of the folder has to make the index of the open segment, and trusts none of it.
        for (reader, passedMax) in [
            (fixture.log.reader(), 100), (try LogReader(disk: fixture.disk), 1000),
        ] {
            let extents = try #require(
                reader.extents(
                    of: [LogFixture.runner, other], from: LogFixture.offset(0), through: last))
            var (passed, found) = (0, [LogFixture.Written]())
            for extent in extents {
                try reader.read(from: extent.lowerBound, until: extent.upperBound) {
                    passed += 1
                    if $0.session != between {
                        found.append(.init(header: $0, payload: Array(copying: $1)))
                    }
                    return true
                }
            }
            #expect(found == fixture.inOrder.filter { $0.header.session != between })
            #expect(passed < passedMax)
            // From the middle on, and for nobody.
            let late = reader.extents(
                of: [LogFixture.runner], from: LogFixture.offset(100), through: last)
            #expect(late?.count == 1)
            #expect(reader.extents(of: [], from: LogFixture.offset(0), through: last) == [])
        }
    }

    @Test func `A reader beside a writer sees a growing prefix`() async throws {
        var fixture = try LogFixture(
            configuration: LogFixture.configuration(segmentBytesMax: 30_000))
        try fixture.log.start()
        let log = fixture.log
        async let seen = Self.follow(log, until: 3001)
        fixture.head()
        for count in 0..<3000 {
            fixture.append()
            if count % 5 == 0 { log.flush() }
        }
        log.syncAppended()
        #expect(try await seen == fixture.inOrder.map(\.header))
        log.close()
    }

    @concurrent
    private static func follow(
        _ log: SegmentLog, until count: Int
    ) async throws -> [RecordHeader] {
        var seen: [RecordHeader] = []
        var next = RecordOffset(rawValue: 0)
        while seen.count < count {
            next = try log.reader().read(from: next) { header, _ in
                seen.append(header)
                return true
            }
            await Task.yield()
        }
        return seen
    }
}
