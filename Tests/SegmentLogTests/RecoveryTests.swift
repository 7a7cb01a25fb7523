import FaultyDisk
import SegmentLog
import SensorModel
import Testing

@Suite struct RecoveryTests {
    /// Returns a log killed after `count` records, with its segment open.
    private func killed(after count: Int, settling: Int = 10) throws -> LogFixture {
        var fixture = try LogFixture()
        fixture.head()
        for index in 1..<count {
            fixture.append()
            if index % settling == 0 { fixture.log.syncAppended() }
        }
        fixture.log.syncAppended()
        fixture.disk = fixture.disk.killed()
        return fixture
    }

    private let name = "000000000001.segment"

    @Test func `A torn tail is cut, and nothing before it`() throws {
        let fixture = try killed(after: 100)
        let whole = fixture.disk.content(of: name)
        fixture.disk.replace(name, with: whole.dropLast(5))
        let again = try LogFixture(disk: fixture.disk)
        #expect(again.log.recovery.tornTail?.segment == name)
        #expect(again.log.recovery.tornTail?.bytes == 111 - 5)
        #expect(again.log.recovery.damaged.isEmpty)
        #expect(try again.contents().records == fixture.inOrder.dropLast())
        again.log.close()
        #expect(try LogReader(disk: fixture.disk).verify().tornTail == nil)
    }

    @Test func `What numbers leapt over is known after an orderly stop, too`() throws {
        var fixture = try killed(after: 100)
        #expect(fixture.log.lostEnd == nil)
        var again = try LogFixture(disk: fixture.disk)
        let lost = RecordOffset(rawValue: again.log.nextOffset.rawValue - 1)
        #expect(again.log.lostEnd == lost)
        again.head()
        again.append()
        again.log.close()
        fixture = try LogFixture(disk: again.disk.killed())
        #expect(fixture.log.recovery.wasClosed)
        #expect(fixture.log.lostEnd == lost)
    }

    @Test func `Verification beside a running writer finds no damage in its tail`() throws {
        let fixture = try killed(after: 100)
        fixture.disk.replace(name, with: fixture.disk.content(of: name).dropLast(5))
        let found = try LogReader(disk: fixture.disk).verify()
        #expect(found.damaged.isEmpty)
        #expect(found.tornTail?.bytes == 106)
        #expect(found.records == 99)
        #expect(found.frames == 98)
    }

    /// A power loss at a change of segments leaves this state.
    @Test func `A torn tail before a segment without records is no damage`() throws {
        var fixture = try LogFixture()
        fixture.head()
        for _ in 0..<50 { fixture.append() }
        fixture.log.syncAppended()
        let bytes = fixture.disk.content(of: name).count
        fixture.disk.fail(SimulatedDisk.Fault(kind: .inputOutput, call: fixture.disk.calls))
        fixture.append()
        fixture.log.syncAppended()
        let disk = fixture.disk.killed()
        var content = disk.content(of: name)
        content[bytes - 20] ^= 1
        disk.replace(name, with: content)
        #expect(try LogReader(disk: disk).verify().damaged.map(\.reason) == [.record])
        // The header, twice.
        let next = "000000000002.segment"
        disk.replace(next, with: Array(disk.content(of: next).prefix(128)))
        let found = try LogReader(disk: disk).verify()
        #expect(found.damaged.isEmpty)
        #expect(found.tornTail?.segment == name)
        let again = try LogFixture(disk: disk)
        #expect(again.log.recovery.damaged.isEmpty)
        #expect(again.log.recovery.tornTail?.segment == name)
    }

    @Test func `Space set aside and never written is no torn tail`() throws {
        let fixture = try killed(after: 100)
        let whole = fixture.disk.content(of: name)
        fixture.disk.replace(name, with: whole + [UInt8](repeating: 0, count: 5000))
        let again = try LogFixture(disk: fixture.disk)
        #expect(again.log.recovery.tornTail == nil)
        #expect(try again.contents().records == fixture.inOrder)
    }

    @Test func `Damage in the middle leaves the rest readable, with a gap`() throws {
        let fixture = try killed(after: 1000)
        var bytes = fixture.disk.content(of: name)
        for index in 40_000..<40_300 { bytes[index] ^= 0x55 }
        fixture.disk.replace(name, with: bytes)
        let beside = try LogReader(disk: fixture.disk)
        let found = try beside.verify()
        #expect(found.damaged.map(\.reason) == [.record])
        #expect(found.tornTail == nil)
        let again = try LogFixture(disk: fixture.disk)
        #expect(again.log.recovery.damaged.map(\.reason) == [.record])
        #expect(again.log.recovery.tornTail == nil)
        for reader in [beside, again.log.reader()] {
            let read = try again.contents(of: reader)
            let gap = try #require(read.gaps.first)
            #expect(read.gaps.count == 1)
            #expect(gap.reason == .damaged)
            #expect((3...5).contains((gap.to.rawValue - gap.from.rawValue + 9999) / 10_000))
            let expected = fixture.inOrder.filter {
                $0.header.offset < gap.from || $0.header.offset >= gap.to
            }
            #expect(read.records == expected)
        }
        #expect(try again.log.reader().verify().damaged.map(\.reason) == [.lostBefore])
    }

    /// The index made from such a file ends the session too early.
    @Test func `Damage at a session's end is a gap for its readers, with others behind it`() throws
    {
        let other = SessionID(high: 9, low: 8)
        var fixture = try LogFixture()
        fixture.head()
        for _ in 0..<300 { fixture.append() }
        fixture.head(other)
        for _ in 0..<300 {
            fixture.append(of: other)
            // A later sync proves that what was damaged had been whole.
            fixture.log.syncAppended()
        }
        let disk = fixture.disk.killed()
        var bytes = disk.content(of: name)
        // The session's last 20 records, of 111 bytes each.
        let first = try #require(bytes.firstRange(of: LogFixture.payload(281)))
        for index in first.lowerBound..<(first.lowerBound + 2190) { bytes[index] ^= 0x55 }
        disk.replace(name, with: bytes)
        let beside = try LogReader(disk: disk)
        let again = try LogFixture(disk: disk)
        for reader in [beside, again.log.reader()] {
            let read = try fixture.contents(of: reader, session: LogFixture.runner)
            #expect(read.records.count == 281)
            #expect(read.gaps.contains { ($0.from..<$0.to).contains(LogFixture.offset(300)) })
            #expect(read.gaps.allSatisfy { $0.reason == .damaged })
        }
    }

    @Test func `Damage in a sealed segment is a gap for readers and named by verification`() throws
    {
        var fixture = try killed(after: 1000)
        fixture = try LogFixture(disk: fixture.disk, ledger: fixture.acknowledged)
        let expected = try fixture.contents().records
        fixture.log.close()
        for (start, count, lost) in [(20_000, 1, 1...1), (60_000, 5000, 40...60)] {
            let intact = fixture.disk.content(of: name)
            var bytes = intact
            for index in start..<(start + count) { bytes[index] ^= 0x10 }
            fixture.disk.replace(name, with: bytes)
            let reader = try LogReader(disk: fixture.disk)
            let read = try fixture.contents(of: reader)
            #expect(read.gaps.count == 1)
            #expect(lost.contains(expected.count - read.records.count))
            #expect(read.records.allSatisfy(Set(expected).contains))
            let found = try reader.verify()
            let damage = try #require(found.damaged.first)
            #expect(damage.segment == name && damage.reason == .record)
            #expect((start - 200...start).contains(damage.byte))
            fixture.disk.replace(name, with: intact)
        }
    }

    @Test func `One damaged copy of the header costs nothing`() throws {
        let fixture = try killed(after: 50)
        for byte in [0, 8, 20, 63, 64, 100] {
            let disk = fixture.disk.killed()
            var bytes = disk.content(of: name)
            bytes[byte] ^= 1
            disk.replace(name, with: bytes)
            let again = try LogFixture(disk: disk)
            #expect(try again.contents().records == fixture.inOrder)
        }
    }

    @Test func `A segment without a header is kept, named and passed over`() throws {
        let fixture = try killed(after: 50)
        var bytes = fixture.disk.content(of: name)
        for index in 0..<128 { bytes[index] = 0xAA }
        fixture.disk.replace(name, with: bytes)
        var again = try LogFixture(disk: fixture.disk)
        #expect(again.log.recovery.damaged.map(\.reason) == [.header])
        #expect(again.log.nextOffset.rawValue > 50)
        again.head()
        again.log.syncAppended()
        let read = try again.contents()
        #expect(read.records == again.inOrder)
        #expect(read.gaps.isEmpty == false)
        #expect(fixture.disk.content(of: name) == bytes)
    }

    @Test(arguments: [0, 1, 63, 64, 127, 128])
    func `A segment that was being created is no damage`(size: Int) throws {
        let fixture = try killed(after: 50)
        let header = Array(fixture.disk.content(of: name).prefix(128))
        fixture.disk.replace("000000000002.segment", with: Array(header.prefix(size)))
        let again = try LogFixture(disk: fixture.disk)
        #expect(again.log.recovery.damaged.isEmpty)
        #expect(try again.contents().records == fixture.inOrder)
    }

    @Test func `Zeros, stale blocks and misplaced segments never parse`() throws {
        let fixture = try killed(after: 600)
        let intact = fixture.disk.content(of: name)
        // A block of the same segment in another place.
        var moved = intact
        moved.replaceSubrange(20_480..<24_576, with: intact[4096..<8192])
        // Blocks of another segment of the same shape.
        var other = try LogFixture(
            configuration: LogConfiguration(segmentBytesMax: 1 << 20, newEpoch: 2))
        other.head()
        for _ in 1..<600 { other.append() }
        other.log.syncAppended()
        let segment = other.disk.content(of: name)
        var mixed = intact
        mixed.replaceSubrange(20_480..<24_576, with: segment[20_480..<24_576])
        var zeros = intact
        zeros.replaceSubrange(20_480..<24_576, with: [UInt8](repeating: 0, count: 4096))
        for bytes in [moved, zeros, mixed] {
            let disk = fixture.disk.killed()
            disk.replace(name, with: bytes)
            let read = try fixture.contents(of: LogReader(disk: disk))
            #expect(read.records.allSatisfy(Set(fixture.inOrder).contains))
            #expect(read.records.count < 600)
        }
        let disk = fixture.disk.killed()
        disk.replace("000000000005.segment", with: intact)
        let found = try LogReader(disk: disk).verify()
        #expect(
            found.damaged == [LogDamage(segment: "000000000005.segment", byte: 0, reason: .header)])
        #expect(found.records == 600)
    }

    @Test func `A missing segment is a gap and named`() throws {
        var fixture = try LogFixture(
            configuration: LogFixture.configuration(segmentBytesMax: 8192))
        fixture.head()
        for _ in 0..<300 { fixture.append() }
        fixture.log.close()
        try fixture.disk.remove("000000000003.segment")
        let reader = try LogReader(disk: fixture.disk)
        let read = try fixture.contents(of: reader)
        #expect(read.gaps.map(\.reason) == [.damaged])
        let found = try reader.verify()
        #expect(
            found.damaged == [
                LogDamage(segment: "000000000003.segment", byte: 0, reason: .missingSegment)
            ])
    }

    @Test func `A newer format is refused and not touched`() throws {
        let fixture = try killed(after: 10)
        var bytes = fixture.disk.content(of: name)
        for start in [0, 64] {
            bytes[start + 8] = 3
            let checksum = SegmentLogTests.checksum(bytes[start..<(start + 60)])
            for index in 0..<4 {
                bytes[start + 60 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
            }
        }
        fixture.disk.replace(name, with: bytes)
        let expected = SegmentLogError.newerFormat(segment: name, version: 3, versionKnown: 2)
        #expect(throws: expected) { try LogFixture(disk: fixture.disk) }
        #expect(throws: expected) { try LogReader(disk: fixture.disk) }
        #expect(fixture.disk.content(of: name) == bytes)
    }

    /// Thirty records in segments of nine.
    private func rolled(failing: Bool) throws -> LogFixture {
        var fixture = try LogFixture(
            configuration: LogFixture.configuration(segmentBytesMax: 4096))
        fixture.head()
        for count in 0..<30 {
            fixture.append(payload: LogFixture.payload(fixture.sequence, bytes: 400))
            guard count == 2 else { continue }
            fixture.log.syncAppended()
            guard failing else { continue }
            fixture.disk.fail(
                SimulatedDisk.Fault(kind: .inputOutput, call: fixture.disk.calls))
        }
        fixture.log.syncAppended()
        return fixture
    }

    /// The disk failed, another segment took over, and the seal was written after all.
    @Test func `A sealed segment ends where another took over`() throws {
        let (whole, failed) = (try rolled(failing: false), try rolled(failing: true))
        let disk = failed.disk.killed()
        disk.replace(name, with: whole.disk.content(of: name))
        let found = try LogReader(disk: disk).segments()
        try #require(found[0].isSealed && found[0].endOffset > found[1].firstOffset)
        let again = try LogFixture(disk: disk)
        let segments = again.log.segments()
        #expect(segments[0].endOffset == segments[1].firstOffset)
        #expect(try again.contents().records == failed.inOrder)
        #expect(try again.log.reader().verify().damaged.isEmpty)
    }
}

extension SegmentLogTests {
    /// CRC-32C, computed bit by bit independently of the product's code.
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { state, byte in
            (0..<8).reduce(state ^ UInt32(byte)) { state, _ in
                state & 1 == 1 ? state >> 1 ^ 0x82F6_3B78 : state >> 1
            }
        }
    }
}
