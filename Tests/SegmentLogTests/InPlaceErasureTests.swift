import FaultyDisk
import SensorModel
import Synchronization
import Testing

@testable import SegmentLog

/// Erasing costs what is erased, leaves no trace of it, and changes nothing else.
@Suite struct InPlaceErasureTests {
    private static let other = SessionID(high: 5, low: 0x8000_0000_0000_0006)

    /// The segment has the maximum number of sessions of that size, and so the longest index.
    @Test func `Erasing 10 KB from a full segment of 64 MiB writes less than 64 KiB`() throws {
        let fixture = try LogFixture(configuration: LogConfiguration(reserveBytes: 0))
        let payload = [UInt8](repeating: 7, count: 5000)
        var count: UInt64 = 0
        while count % 100 > 0 || fixture.log.segments().count == 1 {
            count += 1
            let isErased = count == 3000
            let session = isErased ? ErasureFixture.erased : SessionID(high: 9, low: count)
            let content = isErased ? ErasureFixture.planted + payload : payload
            let time = LogFixture.start.advanced(bySeconds: Double(count))
            _ = fixture.log.appendSession(
                session, device: LogFixture.device, deviceTime: time, arrivalTime: time,
                payload: content.span)
            _ = fixture.log.append(
                .frame(.motion), session: session, device: LogFixture.device, sequence: .none,
                deviceTime: time,
                arrivalTime: time, payload: content.span)
            if count % 100 == 0 { fixture.log.syncAppended() }
        }
        fixture.log.syncAppended()
        try fixture.log.saveCatalog()
        let full = try #require(fixture.log.segments().first)
        #expect(full.bytes > 63 << 20 && full.isSealed)
        let before = fixture.disk.state.withLock { $0.bytesWritten }
        let erasure = try fixture.log.erase([ErasureFixture.erased])
        let written = fixture.disk.state.withLock { $0.bytesWritten } - before
        try fixture.log.saveCatalog()
        let inAll = fixture.disk.state.withLock { $0.bytesWritten } - before
        print("\(erasure.bytes) bytes of \(full.sessions) sessions: \(written), \(inAll) written")
        #expect(erasure.records == 2 && (10_000..<12_000).contains(erasure.bytes))
        #expect(written < 64 << 10)
        #expect(inAll < 1 << 20)
        #expect(!ErasureFixture.isReadable(on: fixture.disk))
        #expect(fixture.log.segments().first?.records == full.records - 2)
        #expect(try fixture.log.reader().verify().damaged.isEmpty)
    }

    @Test func `Neither the session's name nor its payload is left in any file`() throws {
        let made = try ErasureFixture()
        let fixture = made.fixture
        #expect(ErasureFixture.isReadable(on: fixture.disk))
        let before = fixture.disk.content(of: ErasureFixture.name)
        let erasure = try fixture.log.erase([ErasureFixture.erased])
        #expect(erasure.sessions == 1 && erasure.segments == 1 && erasure.records == 46)
        #expect(erasure.bytes == 47 + 46 * (27 + ErasureFixture.planted.count))
        #expect(fixture.disk.content(of: ErasureFixture.name).count == before.count)
        #expect(fixture.disk.content(of: ErasureFixture.name).prefix(128) == before.prefix(128))
        #expect(!ErasureFixture.isReadable(on: fixture.disk))
        #expect(try fixture.disk.list().allSatisfy { !$0.contains("erasure") })
        try ErasureFixture.checkErased(fixture, fixture.log, on: fixture.disk)
        try fixture.log.saveCatalog()
        #expect(!ErasureFixture.isReadable(on: fixture.disk))
        var again = fixture
        try again.restart(on: fixture.disk.withoutUnsynced(), ErasureFixture.configuration)
        try ErasureFixture.checkErased(again, again.log, on: again.disk)
        #expect(again.log.recovery.damaged.isEmpty)
    }

    /// Each letter is a record of that session; a capital has the same time as the record before.
    @Test(
        arguments: [
            "eaaaaaa", "aaaaaae", "aaaeaaa", "aeEaaaa", "aeAAaaa", "aAeAaaa", "aaEAAaa", "aeEAEAaa",
            "eAAAAaa", "aaaaaeE", "ebaaEbBA", "aEBAEBaa", "aAAAAAAEA", "beaaaaE",
        ], [0, 3, 9, 40])
    func `The others keep their offsets, also without the index`(
        pattern: String, payloadBytes: Int
    ) throws {
        for isOld in [false, true] {
            var fixture = try Self.recorded(pattern, payloadBytes: payloadBytes, isOld: isOld)
            let kept = try fixture.contents().records
                .filter { $0.header.session != ErasureFixture.erased }
            let bytes = fixture.disk.content(of: ErasureFixture.name).count
            _ = try fixture.log.erase([ErasureFixture.erased])
            #expect(fixture.disk.content(of: ErasureFixture.name).count == bytes)
            #expect(try fixture.contents().records == kept)
            #expect(try fixture.log.reader().verify().damaged.isEmpty)
            #expect(!ErasureFixture.isReadable(on: fixture.disk))
            for session in [LogFixture.runner, Self.other] {
                #expect(
                    try fixture.contents(session: session).records
                        == kept.filter { $0.header.session == session })
            }
            // Without its index, the segment is read from its first record.
            var whole = fixture.disk.content(of: ErasureFixture.name)
            whole[whole.count - 3] ^= 1
            fixture.disk.replace(ErasureFixture.name, with: whole)
            #expect(try fixture.contents(of: LogReader(disk: fixture.disk)).records == kept)
            try fixture.restart(on: fixture.disk.killed(), ErasureFixture.configuration)
            #expect(try fixture.contents().records == kept)
            #expect(fixture.log.recovery.damaged.isEmpty)
        }
    }

    /// Records the pattern; `isOld` uses the first format, in which all offsets are counted.
    private static func recorded(
        _ pattern: String, payloadBytes: Int, isOld: Bool
    ) throws -> LogFixture {
        let disk = SimulatedDisk()
        let begin = LogFixture.start.advanced(bySeconds: isOld ? -1_800_000_000 : 0)
        let log = try SegmentLog.open(
            disk: disk, configuration: ErasureFixture.configuration, now: begin)
        let sessions: [Character: SessionID] = [
            "a": LogFixture.runner, "b": other, "e": ErasureFixture.erased,
        ]
        var begun: Set<SessionID> = []
        // Twice as many other records, so that the erased part is the smaller one.
        for (place, letter) in (pattern + String(repeating: "aA", count: 20)).enumerated() {
            let session = try #require(sessions[Character(letter.lowercased())])
            var time = begin.advanced(bySeconds: Double(place))
            if letter.isUppercase { time = time.advanced(bySeconds: -Double(place)) }
            let content = LogFixture.payload(UInt32(place), bytes: payloadBytes)
            if begun.insert(session).inserted {
                _ = log.appendSession(
                    session, device: LogFixture.device, deviceTime: time, arrivalTime: time,
                    payload: content.span)
            } else {
                _ = log.append(
                    .frame(.motion), session: session, device: LogFixture.device, sequence: .none,
                    deviceTime: time,
                    arrivalTime: time, payload: content.span)
            }
        }
        log.close()
        if isOld {
            disk.replace(
                ErasureFixture.name,
                with: LogFixture.firstFormat(disk.content(of: ErasureFixture.name)))
        }
        return try LogFixture(disk: disk, configuration: ErasureFixture.configuration)
    }

    @Test func `Where more than half would be erased bytes the segment is rewritten`() throws {
        let made = try ErasureFixture(others: 300, every: 2)
        let fixture = made.fixture
        let bytes = fixture.disk.content(of: ErasureFixture.name).count
        // A third of the records, then most of the others.
        let first = try fixture.log.erase([ErasureFixture.erased])
        #expect(fixture.disk.content(of: ErasureFixture.name).count == bytes)
        let erasure = try fixture.log.erase([LogFixture.runner])
        #expect(fixture.disk.content(of: ErasureFixture.name).count < 400)
        #expect(first.bytes + erasure.bytes > bytes - 1000)
        #expect(erasure.records == 301)
        #expect(try fixture.contents().records.isEmpty)
        #expect(try fixture.contents().gaps.count == 1)
        #expect(try fixture.log.reader().verify().damaged.isEmpty)
        #expect(!ErasureFixture.isReadable(on: fixture.disk))
    }

    @Test func `Sessions that are erased one by one end in a rewritten segment`() throws {
        var fixture = try LogFixture(configuration: ErasureFixture.configuration)
        let sessions = (1...8).map { SessionID(high: 3, low: $0) }
        for session in sessions { fixture.head(session) }
        for number in 0..<400 { fixture.append(of: sessions[number % 8]) }
        fixture.log.close()
        try fixture.restart(on: fixture.disk.killed(), ErasureFixture.configuration)
        var sizes = [fixture.disk.content(of: ErasureFixture.name).count]
        for (count, session) in sessions.enumerated() {
            _ = try fixture.log.erase([session])
            sizes.append(fixture.disk.content(of: ErasureFixture.name).count)
            let kept = fixture.inOrder.filter { !sessions[...count].contains($0.header.session) }
            #expect(try fixture.contents().records == kept)
            #expect(fixture.log.sessions().map(\.session) == Array(sessions.dropFirst(count + 1)))
            #expect(fixture.log.segments().first?.sessions == 7 - count)
        }
        #expect(zip(sizes, sizes.dropFirst()).count { $0 > $1 } == 3)
        #expect(try fixture.log.reader().verify().damaged.isEmpty)
    }

    /// After damage, an uncounted record could have any offset.
    @Test func `Damage anywhere in an erased segment costs what is around it, and tells no lie`()
        throws
    {
        let made = try ErasureFixture(others: 200, every: 4)
        let fixture = made.fixture
        _ = try fixture.log.erase([ErasureFixture.erased])
        let whole = fixture.disk.content(of: ErasureFixture.name)
        let recordsEnd = try SegmentEntry.load(1, from: fixture.disk).recordsEnd
        for place in stride(from: 128, to: whole.count, by: 61) {
            let disk = fixture.disk.killed()
            var bytes = whole
            bytes[place] ^= 0x55
            disk.replace(ErasureFixture.name, with: bytes)
            let reader = try LogReader(disk: disk)
            let found = try fixture.contents(of: reader).records
            #expect(found.allSatisfy { fixture.written[$0.header.offset] == $0 })
            #expect(found.count >= made.others.count - 3)
            #expect(!found.contains { $0.header.session == ErasureFixture.erased })
            // A damaged index loses no records.
            if place < recordsEnd {
                #expect(try !reader.verify().damaged.isEmpty)
            } else {
                #expect(found == made.others)
            }
        }
    }

    @Test func `A segment that is damaged among the session's records is rewritten`() throws {
        let made = try ErasureFixture()
        var fixture = made.fixture
        var bytes = fixture.disk.content(of: ErasureFixture.name)
        bytes[bytes.count / 2] ^= 1
        fixture.disk.replace(ErasureFixture.name, with: bytes)
        try fixture.restart(on: fixture.disk.killed(), ErasureFixture.configuration)
        _ = try fixture.log.erase([ErasureFixture.erased])
        #expect(fixture.disk.content(of: ErasureFixture.name).count < bytes.count)
        #expect(!ErasureFixture.isReadable(on: fixture.disk))
        let found = try fixture.contents().records
        #expect(found.allSatisfy { made.others.contains($0) })
        #expect(found.count >= made.others.count - 2)
    }

    @Test func `A copy of the log sees that a session was erased in place`() throws {
        let made = try ErasureFixture(others: 3000)
        let before = try made.fixture.log.reader().files()
        _ = try made.fixture.log.erase([ErasureFixture.erased])
        let after = try made.fixture.log.reader().files()
        #expect(before.first?.name == ErasureFixture.name)
        #expect(before.first?.bytes == after.first?.bytes)
        #expect(before.first?.fingerprint != after.first?.fingerprint)
    }

    @Test func `An intent survives being stored, and one that is torn is none`() throws {
        let header = SegmentHeader(
            epoch: 1, number: 1, previous: 0, firstOffset: 0, arrivalBase: 0, generation: 0)
        let intent = ErasureIntent(
            header: header,
            changes: [
                ErasureIntent.Change(position: 128, bytes: 40, content: [1, 2, 3]),
                ErasureIntent.Change(position: 168, bytes: 2, content: [4, 5]),
            ])
        let bytes = intent.encoded()
        #expect(ErasureIntent(decoding: bytes) == intent)
        for count in bytes.indices {
            #expect(ErasureIntent(decoding: Array(bytes.prefix(count))) == nil)
            var turned = bytes
            turned[count] ^= 1
            #expect(ErasureIntent(decoding: turned) == nil)
        }
    }
}
