import FaultyDisk
import Foundation
import SensorModel
import Synchronization
import Testing

@testable import SegmentLog

/// Leftovers of disk failures, and how a later erasure or retention handles them.
@Suite struct RemovalFaultTests {
    private static let configuration = LogFixture.configuration(segmentBytesMax: 10_000)

    /// A log whose segments contain little of the session to be erased.
    private static func mixed(_ count: Int = 500) throws -> LogFixture {
        var fixture = try LogFixture(configuration: configuration)
        fixture.head()
        fixture.head(ErasureFixture.erased)
        for index in 0..<count {
            fixture.append()
            if index % 9 == 0 { fixture.append(of: ErasureFixture.erased) }
        }
        fixture.log.syncAppended()
        return fixture
    }

    private static func fail(_ disk: SimulatedDisk, afterCalls calls: Int) {
        disk.fail(SimulatedDisk.Fault(kind: .inputOutput, call: disk.calls + calls))
    }

    // `gaps`: the allowed reasons for missing records.
    private static func check(
        _ disk: SimulatedDisk, gaps: Set<LogGap.Reason>, _ what: String
    ) throws {
        let again = try LogFixture(disk: disk, configuration: configuration)
        #expect(again.log.recovery.damaged.isEmpty, "\(what)")
        #expect(try again.contents().gaps.allSatisfy { gaps.contains($0.reason) }, "\(what)")
        #expect(try again.log.reader().verify().damaged.isEmpty, "\(what)")
    }

    @Test(arguments: [true, false])
    func `A catalog of which a part was written names nobody who is erased later`(isFirst: Bool)
        throws
    {
        for call in 0..<12 {
            let fixture = try Self.mixed()
            if !isFirst {
                try fixture.log.saveCatalog()
                var longer = fixture
                for _ in 0..<300 { longer.append(of: ErasureFixture.erased) }
                longer.log.syncAppended()
            }
            Self.fail(fixture.disk, afterCalls: call)
            do throws(SegmentLogError) { try fixture.log.saveCatalog() } catch {}
            fixture.disk.fail(nil)
            _ = try fixture.log.erase([ErasureFixture.erased])
            #expect(!ErasureFixture.isReadable(on: fixture.disk), "call \(call)")
            try Self.check(fixture.disk.killed(), gaps: [.deleted], "call \(call)")
        }
    }

    /// An empty segment file between removed ones looks like lost records.
    @Test func `What a failing disk left behind is no damage once retention has passed`() throws {
        var failures = 0
        for call in 0..<60 {
            var fixture = try LogFixture(configuration: Self.configuration)
            fixture.head()
            Self.fail(fixture.disk, afterCalls: call)
            for _ in 0..<300 {
                fixture.append()
                fixture.log.flush()
                fixture.log.stepUntilIdle()
            }
            fixture.log.syncAppended()
            failures += fixture.acknowledged.failures.load(ordering: .relaxed) > 0 ? 1 : 0
            for _ in 0..<300 { fixture.append() }
            fixture.log.syncAppended()
            _ = try fixture.log.retain(arrivalBefore: nil, bytesMax: 0)
            #expect(fixture.log.segments().count == 1)
            var random = SplitMix(state: UInt64(call))
            let gaps: Set<LogGap.Reason> = [.removed]
            try Self.check(fixture.disk.killed(), gaps: gaps, "call \(call)")
            try Self.check(fixture.disk.crashed(&random), gaps: gaps, "call \(call), power lost")
        }
        #expect(failures > 10)
    }

    @Test func `An erasure makes no unclean end of an orderly one`() throws {
        var fixture = try LogFixture(configuration: Self.configuration)
        fixture.head()
        fixture.append()
        fixture.head(ErasureFixture.erased)
        for _ in 0..<60 { fixture.append(of: ErasureFixture.erased) }
        fixture.log.syncAppended()
        _ = try fixture.log.erase([ErasureFixture.erased])
        let next = fixture.log.nextOffset
        fixture.log.close()
        try fixture.restart(on: fixture.disk.killed(), Self.configuration)
        #expect(fixture.log.recovery.wasClosed)
        #expect(fixture.log.nextOffset == next)
    }

    /// Its clock was more than a year ahead of that of the start that could not read it.
    @Test(arguments: [false, true])
    func `A segment that a later one begins before is kept for a person, if that has records`(
        hasRecords: Bool
    ) throws {
        var fixture = try LogFixture(configuration: Self.configuration)
        fixture.head()
        let ahead = LogFixture.start.advanced(bySeconds: 5 * 3600)
        for _ in 0..<20 {
            _ = fixture.log.append(
                .tick, session: LogFixture.runner, device: LogFixture.device, sequence: .none,
                deviceTime: ahead, arrivalTime: ahead, payload: Span())
        }
        fixture.append()
        fixture.log.syncAppended()
        let disk = fixture.disk.killed()
        let name = SegmentFormat.fileName(of: 1)
        let bytes = disk.content(of: name)
        disk.state.withLock { $0.unreadable[name] = 0..<bytes.count }
        let early = LogFixture.start.advanced(bySeconds: -400 * 86_400)
        let blind = try LogFixture(disk: disk, configuration: Self.configuration, now: early)
        if hasRecords {
            _ = blind.log.appendSession(
                LogFixture.runner, device: LogFixture.device, deviceTime: early,
                arrivalTime: early, payload: [UInt8(1)].span)
        }
        blind.log.syncAppended()
        let again = try LogFixture(disk: disk.killed(), configuration: Self.configuration)
        let read = try fixture.contents(of: again.log.reader())
        if hasRecords {
            #expect(again.log.recovery.damaged.contains { $0.reason == .undecided })
            #expect(again.disk.content(of: name) == bytes)
        } else {
            #expect(again.log.recovery.damaged.isEmpty)
            #expect(read.records.count == 22)
            #expect(read.gaps.isEmpty)
        }
    }
}
