import FaultyDisk
import SegmentLog
import SensorModel
import Synchronization
import Testing

/// The catalog file: when a start trusts it, and starts without it.
@Suite struct CatalogTests {
    private static let configuration = LogFixture.configuration(segmentBytesMax: 10_000)
    private let other = SessionID(high: 0xDEAD, low: 0x8EAD)

    /// A log with sessions of two runners in many segments, closed in order.
    private func closed() throws -> LogFixture {
        var fixture = try LogFixture(configuration: Self.configuration)
        fixture.head()
        for _ in 0..<300 { fixture.append() }
        fixture.head(other)
        for _ in 0..<300 { fixture.append(of: other) }
        fixture.log.close()
        fixture.disk = fixture.disk.killed()
        return fixture
    }

    private func check(_ fixture: LogFixture, _ log: SegmentLog, without gone: SessionID? = nil)
        throws
    {
        let kept = fixture.inOrder.filter { $0.header.session != gone }
        for reader in [log.reader(), try LogReader(disk: fixture.disk)] {
            #expect(try fixture.contents(of: reader).records == kept)
            for session in [LogFixture.runner, other] {
                let expected = kept.filter { $0.header.session == session }
                #expect(try fixture.contents(of: reader, session: session).records == expected)
                #expect(reader.summary(of: session)?.records ?? 0 == expected.count)
            }
            #expect(
                reader.sessions(of: LogFixture.device) == reader.sessions())
            #expect(try reader.verify().damaged.isEmpty)
        }
    }

    @Test func `A start reads the catalog and the newest segment, nothing else`() throws {
        let fixture = try closed()
        let count = fixture.log.segments().count
        #expect(count > 6)
        // A start that opened one of the other segments would fail visibly.
        for number in 1..<count {
            fixture.disk.state.withLock {
                $0.unreadable["00000000000\(number).segment"] = 0..<20_000
            }
        }
        let again = try LogFixture(disk: fixture.disk, configuration: Self.configuration)
        #expect(again.log.recovery.damaged.isEmpty)
        #expect(again.log.sessions() == fixture.log.sessions())
        #expect(again.log.segments().count == count + 1)
        fixture.disk.state.withLock { $0.unreadable = [:] }
        try check(fixture, again.log)
    }

    @Test func `Without a catalog, with half of one or a turned bit in it the segments tell`()
        throws
    {
        let fixture = try closed()
        let whole = fixture.disk.content(of: "catalog")
        var random = SplitMix(state: 7)
        for round in 0..<60 {
            let disk = fixture.disk.killed()
            var bytes = whole
            switch round {
            case 0: try disk.remove("catalog")
            case 1..<20: bytes = Array(whole.prefix(random.below(whole.count)))
            default: bytes[random.below(whole.count)] ^= 1 << UInt8(random.below(8))
            }
            if round > 0 { disk.replace("catalog", with: bytes) }
            var again = fixture
            try again.restart(on: disk, Self.configuration)
            #expect(again.log.sessions() == fixture.log.sessions())
            try check(again, again.log)
            // The catalog is written again as a whole.
            try again.log.saveCatalog()
            again.disk = disk.killed()
            for number in 1..<6 {
                again.disk.state.withLock {
                    $0.unreadable["00000000000\(number).segment"] = 0..<20_000
                }
            }
            let third = try LogFixture(disk: again.disk, configuration: Self.configuration)
            #expect(third.log.sessions() == fixture.log.sessions())
        }
    }

    @Test func `A power loss while erasing leaves no catalog that knows what is gone`() throws {
        for call in stride(from: 0, to: 90, by: 3) {
            var fixture = try closed()
            try fixture.restart(on: fixture.disk, Self.configuration)
            fixture.disk.fail(
                SimulatedDisk.Fault(
                    kind: .inputOutput, call: fixture.disk.calls + call, isForEver: true))
            var isErased = true
            do throws(SegmentLogError) {
                _ = try fixture.log.erase([other])
                try fixture.log.saveCatalog()
            } catch { isErased = false }
            var random = SplitMix(state: UInt64(call))
            try fixture.restart(on: fixture.disk.crashed(&random), Self.configuration)
            #expect(try fixture.log.reader().verify().damaged.isEmpty)
            if !isErased { _ = try fixture.log.erase([other]) }
            #expect(fixture.log.summary(of: other) == nil)
            try check(fixture, fixture.log, without: other)
        }
    }

    @Test func `Verification compares the catalog with the segments`() throws {
        let fixture = try closed()
        let ahead = try LogFixture(disk: fixture.disk, configuration: Self.configuration)
        _ = try ahead.log.erase([other])
        let name = try #require(ahead.log.segments().dropLast(2).last?.name)
        // A segment from a backup: sealed, with the same header and other content.
        var bytes = fixture.disk.content(of: name)
        bytes[bytes.count - 3] ^= 1
        let disk = fixture.disk.killed()
        disk.replace(name, with: bytes)
        #expect(try LogReader(disk: disk).verify().damaged.map(\.segment) == [name])
    }

    @Test func `Verification finds each turned bit in an index that the next segment follows`()
        throws
    {
        let fixture = try closed()
        let name = fixture.log.segments()[1].name
        let whole = fixture.disk.content(of: name)
        // The first number of the trailer.
        let index = whole.suffix(16).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        for bit in stride(from: index * 8, to: whole.count * 8, by: 7) {
            var bytes = whole
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let disk = fixture.disk.killed()
            disk.replace(name, with: bytes)
            for isListed in [true, false] {
                if !isListed { try disk.remove("catalog") }
                let damaged = try LogReader(disk: disk).verify().damaged
                #expect(damaged.map(\.segment) == [name], "bit \(bit)")
            }
        }
    }

    @Test func `Segments of another history are not what a catalog left behind says`() throws {
        let fixture = try closed()
        let catalog = fixture.disk.content(of: "catalog")
        let fresh = SimulatedDisk()
        var configuration = Self.configuration
        configuration.newEpoch = 77
        fresh.replace("catalog", with: catalog)
        var begun = try LogFixture(disk: fresh, configuration: configuration)
        #expect(begun.log.epoch == 77 && begun.log.nextOffset.rawValue == 0)
        begun.head()
        for _ in 0..<300 { begun.append() }
        begun.log.syncAppended()
        fresh.replace("catalog", with: catalog)
        try begun.restart(on: fresh.killed(), configuration)
        #expect(begun.log.summary(of: other) == nil)
        #expect(try begun.contents().records == begun.inOrder)
    }

    @Test func `Retention and erasing leave lookups right`() throws {
        var fixture = try closed()
        try fixture.restart(on: fixture.disk, Self.configuration)
        fixture.head()
        for _ in 0..<200 { fixture.append() }
        fixture.log.syncAppended()
        _ = try fixture.log.retain(arrivalBefore: nil, bytesMax: 40_000)
        let first = try #require(fixture.log.segments().first?.firstOffset)
        fixture.written = fixture.written.filter { $0.key >= first }
        try check(fixture, fixture.log)
        _ = try fixture.log.erase([other])
        try check(fixture, fixture.log, without: other)
        try fixture.log.saveCatalog()
        try fixture.restart(on: fixture.disk.killed(), Self.configuration)
        try check(fixture, fixture.log, without: other)
    }
}
