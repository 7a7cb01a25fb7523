import FaultyDisk
import SensorModel
import Testing

@testable import SegmentLog

@Suite struct SegmentFormatTests {
    @Test func `The checksum is CRC-32C, by instruction and by table`() {
        #expect(Checksum.of(Array("123456789".utf8).span) == 0xE306_9283)
        var random = SplitMix(state: 3)
        for count in [0, 1, 7, 8, 9, 63, 64, 1000] {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(Checksum.of(bytes.span) == SegmentLogTests.checksum(bytes))
            #expect(
                ~Checksum.table.continued(.max, bytes: bytes.span)
                    == SegmentLogTests.checksum(bytes))
            let word = random.next()
            var checksum = Checksum.start
            checksum.feed(word)
            #expect(checksum.final == ~Checksum.table.continued(.max, word: word))
        }
    }

    @Test func `A record lies on disk as the drawing says`() {
        let header = SegmentHeader(
            epoch: 1, number: 1, previous: 0, firstOffset: 0, arrivalBase: 1000, generation: 0)
        let record = RawRecord(
            tag: 0x03, session: 0x0201, arrivalTime: 1000 - 2, sequence: 0x0A0B_0C0D,
            deviceTime: -1, payloadBytes: 2)
        var chunk = Chunk(
            bytes: [UInt8](repeating: 0xEE, count: 64), header: header, position: 128,
            firstOffset: 0)
        chunk.store(record, payload: [7, 8].span, arrivalBase: 1000, seed: header.seed)
        #expect(chunk.count == 29)
        #expect(
            Array(chunk.bytes[4..<29]) == [
                2, 0, 0, 3, 1, 2, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0x0D, 0x0C, 0x0B, 0x0A,
                0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 7, 8,
            ])
        let seed = header.seed
        let decoded = RawRecord.decode(
            chunk.bytes.span, at: 0, position: 128, arrivalBase: 1000, seed: seed)
        #expect(decoded == record)
        let elsewhere = RawRecord.decode(
            chunk.bytes.span, at: 0, position: 129, arrivalBase: 1000, seed: seed)
        #expect(elsewhere == nil)
    }

    /// Found by fuzzing: sums of such numbers overflowed 64 bits and crashed the daemon's start.
    @Test(arguments: [
        SegmentHeader(
            epoch: 1, number: 1, previous: 0, firstOffset: .max, arrivalBase: 0, generation: 0),
        SegmentHeader(
            epoch: 1, number: .max, previous: 0, firstOffset: 0, arrivalBase: 0, generation: 0),
        SegmentHeader(
            epoch: 1, number: 1, previous: 0, firstOffset: 0, arrivalBase: .min, generation: 0),
    ])
    func `A header with numbers beyond reason is damaged, whatever its checksum`(
        header: SegmentHeader
    ) {
        guard case .damaged = SegmentHeader.decode(header.bothCopies.span) else {
            Issue.record("taken for a header")
            return
        }
    }

    @Test func `An index with numbers beyond reason is none, whatever its checksum`() {
        var index = SegmentIndex(firstOffset: 3)
        index.endOffset = 9
        #expect(SegmentIndex(decoding: index.encoded().span) != nil)
        index.endOffset = .max
        #expect(SegmentIndex(decoding: index.encoded().span) == nil)
        index.endOffset = 2
        #expect(SegmentIndex(decoding: index.encoded().span) == nil)
    }

    @Test func `Arrival times out of reach of 40 bits begin a new segment`() throws {
        var fixture = try LogFixture()
        fixture.head()
        let nothing: [UInt8] = []
        for days in [0, 1, 7, 30, 29, 1] {
            let time = LogFixture.start.advanced(byMicroseconds: Int64(days) * 86_400_000_000)
            let offset = fixture.log.append(
                .tick, session: LogFixture.runner, device: LogFixture.device, sequence: .none,
                deviceTime: time,
                arrivalTime: time, payload: nothing.span)
            #expect(offset != nil)
        }
        fixture.log.syncAppended()
        var days: [Int64] = []
        try fixture.log.reader().read(from: LogFixture.end(after: 0)) { header, _ in
            let since = header.arrivalTime.microseconds - LogFixture.start.microseconds
            days.append(since / 86_400_000_000)
            return true
        }
        #expect(days == [0, 1, 7, 30, 29, 1])
        #expect(fixture.log.segments().count == 4)
    }

    @Test func `File names sort by age`() {
        #expect(SegmentFormat.fileName(of: 9) < SegmentFormat.fileName(of: 10))
        #expect(SegmentFormat.number(ofFile: "000000000012.segment") == 12)
        for name in ["12.segment", "000000000012.segment.tmp", "lock", "+00000000012.segment"] {
            #expect(SegmentFormat.number(ofFile: name) == nil)
        }
    }

    @Test func `An index survives being stored`() throws {
        var fixture = try LogFixture()
        fixture.head()
        for count in 0..<3000 { fixture.append(count % 100 == 99 ? .snapshot : .metric) }
        fixture.log.close()
        var entry = try SegmentEntry.load(1, from: fixture.disk)
        #expect(entry.isSealed && entry.isMarksOnDisk)
        try entry.loadIndex(from: fixture.disk.open(entry.name, .read))
        let encoded = entry.index.encoded()
        #expect(SegmentIndex(decoding: encoded.span) == entry.index)
        #expect(SegmentIndex(decoding: encoded.span.extracting(droppingLast: 1)) == nil)
        #expect(entry.index.marks.count { $0.number == 1 } > 30)
    }
}
