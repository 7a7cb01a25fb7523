import FaultyDisk
import Foundation
import SegmentLog
import SensorModel
import Testing

/// Every truncation and every flipped bit of a segment of 64 KiB. A normal run takes a sample of
/// both; PULSECAST_LONG=1 takes all.
@Suite struct ByteSweepTests {
    private static let name = "000000000001.segment"
    private static let isLong = ProcessInfo.processInfo.environment["PULSECAST_LONG"] == "1"

    /// A segment of 64 KiB with three alternating sessions, open or sealed.
    private static func golden(isSealed: Bool) throws -> LogFixture {
        var fixture = try LogFixture()
        let sessions = (0..<3).map { SessionID(high: UInt64($0), low: 8) }
        for session in sessions { fixture.head(session) }
        for index in 0..<588 {
            fixture.append(index % 50 == 0 ? .metric : .frame(.motion), of: sessions[index % 3])
            if index % 20 == 0 { fixture.log.syncAppended() }
        }
        fixture.log.syncAppended()
        if isSealed { fixture.log.close() }
        fixture.disk = fixture.disk.killed()
        return fixture
    }

    private static func sample(_ all: Range<Int>, count: Int) -> [Int] {
        guard !isLong else { return Array(all) }
        print("sampling \(count) of \(all.count); all with PULSECAST_LONG=1")
        var random = SplitMix(state: 2026)
        return (0..<count).map { _ in Int.random(in: all, using: &random) }.sorted()
    }

    @Test func `Any truncation keeps every whole record and invents none`() throws {
        let golden = try Self.golden(isSealed: false)
        let bytes = golden.disk.content(of: Self.name)
        #expect(bytes.count >= 64 << 10)
        let expected = golden.inOrder
        let ends = try Self.recordEnds(golden)
        var wrong = 0
        for size in Self.sample(0..<bytes.count, count: 60) {
            let disk = SimulatedDisk()
            disk.replace(Self.name, with: Array(bytes.prefix(size)))
            let log = try LogFixture(disk: disk)
            let read = try log.contents()
            let whole = ends.count { $0 <= size }
            if read.records != Array(expected.prefix(whole)) || !read.gaps.isEmpty {
                wrong += 1
            }
        }
        #expect(wrong == 0)
    }

    @Test(arguments: [false, true], 0..<8)
    func `Any flipped bit costs at most its record and what cannot be proven`(
        isSealed: Bool, part: Int
    ) throws {
        let golden = try Self.golden(isSealed: isSealed)
        let bytes = golden.disk.content(of: Self.name)
        let expected = golden.inOrder
        let ends = try Self.recordEnds(golden)
        var wrong = 0
        // Each part covers every bit of an eighth of the file.
        let eighth = (part * bytes.count..<(part + 1) * bytes.count)
        for bit in Self.sample(eighth, count: 8) {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            let disk = SimulatedDisk()
            disk.replace(Self.name, with: flipped)
            let before = try golden.contents(of: LogReader(disk: disk))
            let log = try LogFixture(disk: disk)
            let after = try log.contents()
            // Records before the flip are complete and in order; those after it are all genuine.
            let prefix = ends.count { $0 <= bit / 8 }
            for read in [before, after] {
                let isPrefixKept = read.records.prefix(prefix) == expected.prefix(prefix)
                let isTrue = read.records.allSatisfy { $0 == golden.written[$0.header.offset] }
                let isEnough = !isSealed || read.records.count >= expected.count - 1
                if !isPrefixKept || !isTrue || !isEnough {
                    wrong += 1
                }
            }
        }
        #expect(wrong == 0)
    }

    /// Finds the end of each record in the file by appending the same records again.
    private static func recordEnds(_ golden: LogFixture) throws -> [Int] {
        var fixture = try LogFixture()
        var ends: [Int] = []
        for written in golden.inOrder {
            if written.header.type == .session {
                fixture.head(written.header.session, payload: written.payload)
            } else {
                fixture.append(
                    written.header.type, of: written.header.session, payload: written.payload)
            }
            fixture.log.syncAppended()
            ends.append(fixture.disk.content(of: name).count)
        }
        return ends
    }
}
