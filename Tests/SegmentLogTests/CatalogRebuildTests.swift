import FaultyDisk
@testable import SegmentLog
import SensorModel
import Synchronization
import Testing

/// Starts that ask the segments, since the catalog is missing or damaged.
@Suite struct CatalogRebuildTests {
    private static let configuration = LogFixture.configuration(segmentBytesMax: 4096)
    private static let other = SessionID(high: 0xDEAD, low: 0x8EAD)
    private static let later = SessionID(high: 0xBEEF, low: 0x8EAD)

    /// A log with enough segments to be read by several threads, closed in order.
    private static func closed(records: Int = 5000) throws -> LogFixture {
        var fixture = try LogFixture(configuration: configuration)
        for session in [LogFixture.runner, other, later] { fixture.head(session) }
        for count in 0..<records {
            let type: RecordType = count % 49 == 0 ? .snapshot : .frame(.motion)
            let isLater = count > records / 2
            fixture.append(
                type, of: count % 5 == 0 ? other : isLater ? later : LogFixture.runner)
        }
        fixture.log.close()
        fixture.disk = fixture.disk.killed()
        return fixture
    }

    /// The answers of a log to the daemon and its readers.
    private struct Answers: Equatable {
        var sessions: [SessionSummary]
        var summaries: [SessionSummary?]
        var segments: [SegmentSummary]
        var ofDevice: [SessionSummary]
        var newest: [RecordOffset?]
        var end: RecordOffset?
        var records: [[LogFixture.Written]]
        var next: RecordOffset

        init(_ fixture: LogFixture) throws {
            let known = [LogFixture.runner, other, later]
            let reader = fixture.log.reader()
            sessions = fixture.log.sessions()
            summaries = known.map { fixture.log.summary(of: $0) }
            segments = fixture.log.segments()
            ofDevice = fixture.log.sessions(of: LogFixture.device)
            newest = try [0, 60, 700, 3900, 9999].flatMap { (sequence: Int64) in
                let time = LogFixture.start.advanced(byMicroseconds: sequence * 10_000)
                return try known.map {
                    try reader.newest(.snapshot, of: $0, notAfter: time)
                }
            }
            end = fixture.log.lostEnd
            records = try known.map { try fixture.contents(session: $0).records }
            next = fixture.log.nextOffset
        }
    }

    private enum Loss: CaseIterable { case missing, cut, turnedBit, anotherFile }

    private static func lose(_ loss: Loss, on disk: SimulatedDisk) throws {
        var bytes = disk.content(of: "catalog")
        switch loss {
        case .missing: return try disk.remove("catalog")
        case .cut: bytes.removeLast(bytes.count / 3)
        case .turnedBit: bytes[bytes.count / 2] ^= 4
        case .anotherFile: bytes = [UInt8](repeating: 7, count: 5000)
        }
        disk.replace("catalog", with: bytes)
    }

    @Test func `A start without a whole catalog gives the answers that it gives with one`() throws {
        let fixture = try Self.closed()
        #expect(fixture.log.segments().count > 128)
        var with = fixture
        try with.restart(on: fixture.disk.killed(), Self.configuration)
        let expected = try Answers(with)
        for loss in Loss.allCases {
            let disk = fixture.disk.killed()
            try Self.lose(loss, on: disk)
            var without = fixture
            try without.restart(on: disk, Self.configuration)
            #expect(try Answers(without) == expected)
            #expect(without.log.recovery == with.log.recovery)
            // Before the catalog is written again.
            try Self.use(&without)
            var same = fixture
            try same.restart(on: fixture.disk.killed(), Self.configuration)
            try Self.use(&same)
            #expect(try Answers(without) == Answers(same))
            #expect(try without.log.reader().verify().damaged.isEmpty)
        }
    }

    /// Recording, retention and a deletion.
    private static func use(_ fixture: inout LogFixture) throws {
        fixture.append(of: later)
        fixture.head(SessionID(high: 1, low: 0x8000_0000_0000_0001))
        fixture.log.syncAppended()
        let bytes = fixture.log.usage.bytes
        #expect(
            try fixture.log.retain(arrivalBefore: nil, bytesMax: bytes - 20_000).segments > 3)
        #expect(try fixture.log.erase([other]).records > 500)
        fixture.append()
        fixture.log.syncAppended()
    }

    @Test(arguments: [0, 1, 7, 100, 301, 502, 540, 545])
    func `A start that meets a failing read is followed by one that gives the same answers`(
        reads: Int
    ) throws {
        let fixture = try Self.closed()
        var expected = fixture
        try expected.restart(on: fixture.disk.killed(), Self.configuration)
        let disk = fixture.disk.killed()
        try disk.remove("catalog")
        disk.state.withLock { $0.readsUntilFault = reads }
        do throws(SegmentLogError) {
            let log = try SegmentLog.open(
                disk: disk, configuration: Self.configuration, now: LogFixture.start)
            disk.state.withLock { $0.readsUntilFault = nil }
            try log.saveCatalog()
        } catch {}
        var again = fixture
        try again.restart(on: disk.killed(), Self.configuration)
        #expect(again.log.sessions() == expected.log.sessions())
        #expect(try again.contents().records == fixture.inOrder)
        #expect(again.log.nextOffset >= expected.log.nextOffset)
        #expect(try again.log.reader().verify().damaged.isEmpty)
    }

    @Test func `A power loss while the catalog is written anew changes no answer`() throws {
        let fixture = try Self.closed(records: 300)
        var random = SplitMix(state: 11)
        for call in 0..<12 {
            let disk = fixture.disk.killed()
            try disk.remove("catalog")
            var first = fixture
            try first.restart(on: disk, Self.configuration)
            let sessions = first.log.sessions()
            disk.fail(
                SimulatedDisk.Fault(kind: .inputOutput, call: disk.calls + call, isForEver: true))
            do throws(SegmentLogError) { try first.log.saveCatalog() } catch {}
            try first.restart(on: disk.crashed(&random), Self.configuration)
            #expect(first.log.sessions() == sessions)
            #expect(try first.contents().records == fixture.inOrder)
            #expect(try first.log.reader().verify().damaged.isEmpty)
        }
    }

    /// The index of a segment, and where its marks begin.
    private static func index(in bytes: [UInt8]) throws -> (place: Range<Int>, marks: Int) {
        let found = SegmentTrailer(decoding: bytes.span.extracting(last: 16))
        let trailer = try #require(found)
        let start = trailer.indexPosition
        let payload = bytes.span.extracting((start + 27)..<(bytes.count - 16))
        let headBytes = SegmentIndex.headBytes(of: payload)
        let head = try #require(headBytes)
        return (start..<(bytes.count - 16), start + 27 + head)
    }

    @Test func `A turned bit in an index costs no record, wherever it is`() throws {
        let fixture = try Self.closed(records: 300)
        let name = fixture.log.segments()[3].name
        let whole = fixture.disk.content(of: name)
        let (place, marks) = try Self.index(in: whole)
        let known = [LogFixture.runner, Self.other]
        for bit in stride(from: place.lowerBound * 8, to: place.upperBound * 8, by: 23) {
            var bytes = whole
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let disk = fixture.disk.killed()
            disk.replace(name, with: bytes)
            try disk.remove("catalog")
            #expect(try LogReader(disk: disk).verify().damaged.map(\.segment) == [name])
            var again = fixture
            try again.restart(on: disk, Self.configuration)
            // A start does not read marks, so damage in them shows only when they are needed.
            if bit / 8 >= marks { #expect(again.log.recovery.damaged.isEmpty) }
            #expect(again.log.sessions() == fixture.log.sessions())
            #expect(try again.contents().records == fixture.inOrder)
            for session in known {
                let own = fixture.inOrder.filter { $0.header.session == session }
                #expect(try again.contents(session: session).records == own)
                let last = own.last { $0.header.type == .snapshot }?.header
                let time = try #require(last?.deviceTime)
                let found = try again.log.reader().newest(.snapshot, of: session, notAfter: time)
                #expect(found == last?.offset)
            }
            _ = try again.log.erase([Self.other])
            let left = fixture.inOrder.filter { $0.header.session != Self.other }
            #expect(try again.contents().records == left)
        }
    }

    @Test func `An index without a checksum of its head is read as a whole`() throws {
        let fixture = try Self.closed(records: 300)
        let disk = fixture.disk.killed()
        try disk.remove("catalog")
        let names = fixture.log.segments().map(\.name)
        for name in names {
            var bytes = disk.content(of: name)
            let place = try Self.index(in: bytes).place
            guard case .header(let header) = SegmentHeader.decode(bytes.span) else {
                Issue.record("no header")
                continue
            }
            for byte in 15..<19 { bytes[place.lowerBound + byte] = 0 }
            var checksum = header.seed
            checksum.feed(UInt64(place.lowerBound))
            checksum.feed(bytes.span.extracting((place.lowerBound + 4)..<place.upperBound))
            var span = bytes.mutableSpan
            LittleEndian.store(checksum.final, in: &span, at: place.lowerBound)
            disk.replace(name, with: bytes)
        }
        let before = names.map { disk.content(of: $0) }
        var again = fixture
        try again.restart(on: disk, Self.configuration)
        #expect(again.log.recovery.wasClosed && again.log.recovery.damaged.isEmpty)
        #expect(again.log.sessions() == fixture.log.sessions())
        #expect(try again.contents().records == fixture.inOrder)
        #expect(names.map { disk.content(of: $0) } == before)
        #expect(try again.log.reader().verify().damaged.isEmpty)
    }
}
