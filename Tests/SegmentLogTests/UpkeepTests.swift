import FaultyDisk
import SegmentLog
import SensorModel
import Synchronization
import Testing

@Suite struct UpkeepTests {
    private static let planted = Array("only this runner's heart beat like this".utf8)
    private let erased = SessionID(high: 0xDEAD, low: 0x8EAD)

    /// Over three segments, each with records of the session to be erased; the last is still open.
    private func planted() throws -> LogFixture {
        var fixture = try LogFixture(
            configuration: LogFixture.configuration(segmentBytesMax: 30_000))
        fixture.head()
        fixture.head(erased, payload: Self.planted)
        for count in 0..<800 {
            if count % 3 == 0 {
                fixture.append(of: erased, payload: Self.planted)
            } else {
                fixture.append()
            }
        }
        fixture.log.syncAppended()
        return fixture
    }

    /// Counts copies, including those in files without a name.
    private func copies(on disk: SimulatedDisk) -> Int {
        disk.state.withLock { state in
            state.inodes.values.count { inode in
                Self.isInside(inode.current) || Self.isInside(inode.synced)
            }
        }
    }

    private static func isInside(_ bytes: [UInt8]) -> Bool {
        bytes.indices.contains { start in
            bytes[start] == planted[0] && bytes[start...].starts(with: planted)
        }
    }

    @Test func `An erased session leaves no byte on disk, and explicit gaps`() throws {
        var fixture = try planted()
        #expect(copies(on: fixture.disk) >= 3)
        let erasure = try fixture.log.erase([erased])
        #expect(erasure.sessions == 1)
        #expect(erasure.records == 268)
        #expect(erasure.segments >= 3)
        #expect(erasure.bytes > 200 * Self.planted.count)
        #expect(copies(on: fixture.disk) == 0)
        let kept = fixture.inOrder.filter { $0.header.session != erased }
        var read = try fixture.contents()
        #expect(read.records == kept)
        #expect(read.gaps.allSatisfy { $0.reason == .deleted })
        let gone = fixture.inOrder.map(\.header).filter { $0.session == erased }.map(\.offset)
        #expect(gone.count == 268)
        for offset in gone {
            #expect(read.gaps.count { $0.from <= offset && offset < $0.to } == 1)
        }
        #expect(fixture.log.summary(of: erased) == nil)
        #expect(try fixture.log.reader().verify().damaged.isEmpty)
        fixture.append()
        fixture.log.syncAppended()
        fixture.log.close()
        #expect(copies(on: fixture.disk) == 0)
        let again = try LogFixture(disk: fixture.disk)
        read = try again.contents()
        #expect(read.records == fixture.inOrder.filter { $0.header.session != erased })
        #expect(try LogReader(disk: fixture.disk).verify().damaged.isEmpty)
    }

    @Test func `A reader with an old list of segments reads the rewritten ones`() throws {
        let fixture = try planted()
        fixture.log.close()
        let reader = try LogReader(disk: fixture.disk)
        let again = try LogFixture(disk: fixture.disk)
        _ = try again.log.erase([erased])
        let read = try fixture.contents(of: reader)
        #expect(read.records == fixture.inOrder.filter { $0.header.session != erased })
        #expect(read.gaps.allSatisfy { $0.reason == .deleted })
    }

    @Test func `Erasing while the writer threads run`() throws {
        var fixture = try planted()
        try fixture.log.start()
        for _ in 0..<100 { fixture.append() }
        #expect(try fixture.log.erase([erased]).records == 268)
        #expect(copies(on: fixture.disk) == 0)
        for _ in 0..<100 { fixture.append() }
        fixture.log.syncAppended()
        #expect(
            try fixture.contents().records
                == fixture.inOrder.filter { $0.header.session != erased })
        fixture.log.close()
    }

    @Test func `A power loss while erasing leaves the old segment or the new one`() throws {
        for call in stride(from: 0, to: 60, by: 4) {
            let fixture = try planted()
            fixture.disk.fail(
                SimulatedDisk.Fault(
                    kind: .inputOutput, call: fixture.disk.calls + call, isForEver: true))
            do throws(SegmentLogError) { _ = try fixture.log.erase([erased]) } catch {}
            var random = SplitMix(state: UInt64(call))
            let again = try LogFixture(
                disk: fixture.disk.crashed(&random),
                configuration: LogFixture.configuration(segmentBytesMax: 30_000))
            let read = try again.contents()
            let others = read.records.filter { $0.header.session != erased }
            #expect(others == fixture.inOrder.filter { $0.header.session != erased })
            _ = try again.log.erase([erased])
            #expect(try again.contents().records == others)
        }
    }

    @Test func `An erasure that fails is asked for again and takes nothing of the others`() throws {
        for call in 0..<60 {
            let fixture = try planted()
            fixture.disk.fail(
                SimulatedDisk.Fault(kind: .inputOutput, call: fixture.disk.calls + call))
            do throws(SegmentLogError) { _ = try fixture.log.erase([erased]) } catch {
                fixture.log.syncAppended()
                _ = try fixture.log.erase([erased])
            }
            let others = fixture.inOrder.filter { $0.header.session != erased }
            #expect(try fixture.contents().records == others)
            #expect(try fixture.log.reader().verify().damaged.isEmpty)
        }
    }

    @Test func `Retention takes whole segments, oldest first, by size and by age`() throws {
        var fixture = try LogFixture(
            configuration: LogFixture.configuration(segmentBytesMax: 10_000))
        fixture.head()
        for _ in 0..<1000 { fixture.append() }
        fixture.log.syncAppended()
        let before = fixture.log.segments()
        let bySize = try fixture.log.retain(arrivalBefore: nil, bytesMax: 60_000)
        #expect(bySize.segments == before.count - fixture.log.segments().count)
        #expect(fixture.log.segments().reduce(0) { $0 + $1.bytes } <= 60_000)
        #expect(
            fixture.log.segments().map(\.name)
                == before.suffix(fixture.log.segments().count).map(\.name))
        let first = try #require(fixture.log.segments().first?.firstOffset)
        let read = try fixture.contents()
        #expect(read.records == fixture.inOrder.filter { $0.header.offset >= first })
        #expect(
            read.gaps == [
                LogGap(from: RecordOffset(rawValue: 0), to: first, reason: .removed)
            ])
        let all = try fixture.log.retain(
            arrivalBefore: LogFixture.start.advanced(bySeconds: 100), bytesMax: nil)
        #expect(all.segments > 3)
        #expect(fixture.log.segments().count == 1)
        let next = fixture.log.nextOffset
        fixture.log.close()
        let again = try LogFixture(disk: fixture.disk)
        #expect(again.log.nextOffset == next)
        #expect(try LogReader(disk: fixture.disk).verify().damaged.isEmpty)
    }

    @Test func `A log that retention emptied does not give offsets back`() throws {
        var fixture = try LogFixture()
        fixture.head()
        for _ in 0..<10 { fixture.append() }
        fixture.log.close()
        let second = try LogFixture(disk: fixture.disk)
        _ = try second.log.retain(arrivalBefore: nil, bytesMax: 0)
        #expect(second.log.segments().count == 1)
        second.log.close()
        let third = try LogFixture(disk: fixture.disk)
        #expect(third.log.nextOffset == LogFixture.end(after: 10))
    }
}
