import FaultyDisk
import Foundation
import SensorModel
import Synchronization
import Testing

@testable import SegmentLog

/// Erasure in place, interrupted at each disk call, and with readers at each write.
@Suite struct ErasureCrashTests {
    private static let isLong = ProcessInfo.processInfo.environment["PULSECAST_LONG"] == "1"

    /// Numbers of the modifying calls that erase the session.
    private static func calls(_ made: ErasureFixture) throws -> Range<Int> {
        let fixture = try copied(made)
        let before = fixture.disk.calls
        _ = try fixture.log.erase([ErasureFixture.erased])
        return 0..<(fixture.disk.calls - before)
    }

    /// A copy of the log on its own disk.
    private static func copied(_ made: ErasureFixture) throws -> LogFixture {
        var fixture = made.fixture
        try fixture.restart(on: made.fixture.disk.killed(), ErasureFixture.configuration)
        return fixture
    }

    /// - Returns: Whether a recovered log still holds anything of the session.
    private static func check(_ fixture: LogFixture, _ what: String) throws -> Bool {
        #expect(fixture.log.recovery.damaged.isEmpty, "\(what)")
        let read = try fixture.contents()
        let all = read.records == fixture.inOrder
        #expect(all || read.records == ErasureFixture.others(in: fixture), "\(what)")
        #expect(all == (fixture.log.summary(of: ErasureFixture.erased) != nil), "\(what)")
        #expect(all == ErasureFixture.isReadable(on: fixture.disk), "\(what)")
        #expect(try fixture.log.reader().verify().damaged.isEmpty, "\(what)")
        #expect(try LogReader(disk: fixture.disk).verify().damaged.isEmpty, "\(what)")
        return all
    }

    @Test func `After power loss at any call the session is gone for good or as it was`() throws {
        let made = try ErasureFixture(others: 120, every: 9)
        let calls = try Self.calls(made)
        var (losses, erased) = (0, 0)
        for call in calls {
            let fixture = try Self.copied(made)
            fixture.disk.fail(
                SimulatedDisk.Fault(
                    kind: .inputOutput, call: fixture.disk.calls + call, isForEver: true))
            do throws(SegmentLogError) {
                _ = try fixture.log.erase([ErasureFixture.erased])
            } catch {
                fixture.disk.state.withLock { #expect($0.syncsAfterFailure == 0) }
            }
            var random = SplitMix(state: UInt64(call))
            let crashes = Self.isLong ? 200 : 12
            let disks =
                [fixture.disk.killed(), fixture.disk.withoutUnsynced()]
                + (0..<crashes).map { _ in fixture.disk.crashed(&random) }
            for (number, disk) in disks.enumerated() {
                var again = fixture
                try again.restart(on: disk, ErasureFixture.configuration)
                losses += number == 0 ? 0 : 1
                if try Self.check(again, "call \(call), crash \(number)") {
                    _ = try again.log.erase([ErasureFixture.erased])
                    try ErasureFixture.checkErased(again, again.log, on: again.disk)
                } else {
                    erased += 1
                }
            }
        }
        print("\(losses) power losses at \(calls.count) calls, \(erased) of them after its intent")
        #expect(losses >= 200)
        #expect(erased > 50 && erased < losses)
    }

    /// Covers the start that completes an erasure and the start after it.
    @Test func `Power lost again while a start completes an erasure costs nothing`() throws {
        let made = try ErasureFixture(others: 120, every: 9)
        var begun = try Self.copied(made)
        let calls = try Self.calls(made)
        begun.disk.fail(
            SimulatedDisk.Fault(
                kind: .inputOutput, call: begun.disk.calls + calls.count / 2, isForEver: true))
        #expect(throws: SegmentLogError.self) {
            try begun.log.erase([ErasureFixture.erased])
        }
        var random = SplitMix(state: 1)
        begun.disk = begun.disk.killed()
        for call in 0..<(calls.count + 20) {
            for _ in 0..<4 {
                let first = begun.disk.killed()
                first.fail(
                    SimulatedDisk.Fault(
                        kind: .inputOutput, call: first.calls + call, isForEver: true))
                do throws(SegmentLogError) {
                    let log = try SegmentLog.open(
                        disk: first, configuration: ErasureFixture.configuration,
                        now: LogFixture.start)
                    // A disk that accepts no changes still shows the result.
                    let reader = log.reader()
                    #expect(reader.summary(of: ErasureFixture.erased) == nil)
                    #expect(
                        (try? begun.contents(of: reader).records)
                            == ErasureFixture.others(in: begun))
                } catch { Issue.record("\(error)") }
                var again = begun
                try again.restart(on: first.crashed(&random), ErasureFixture.configuration)
                #expect(try !Self.check(again, "call \(call)"))
            }
        }
    }

    @Test(arguments: SimulatedDisk.Fault.Kind.allCases)
    func `A call that fails leaves the session, or nothing that a reader sees`(
        kind: SimulatedDisk.Fault.Kind
    ) throws {
        let made = try ErasureFixture(others: 120, every: 9)
        var unfinished = 0
        for call in try Self.calls(made) {
            let fixture = try Self.copied(made)
            fixture.disk.fail(SimulatedDisk.Fault(kind: kind, call: fixture.disk.calls + call))
            var copy: [UInt8]?
            do throws(SegmentLogError) {
                _ = try fixture.log.erase([ErasureFixture.erased])
            } catch {
                #expect(kind != .short)
                if fixture.log.summary(of: ErasureFixture.erased) == nil,
                    fixture.log.usage.unrepaired > 0
                {
                    unfinished += 1
                    try ErasureFixture.checkErased(fixture, fixture.log, on: fixture.disk)
                    try fixture.log.saveCatalog()
                    let seen = try OverlayDisk(fixture.disk).open(ErasureFixture.name, .read)
                    let size = try seen.size()
                    copy = try seen.readUp(to: size, at: 0)
                    if call % 2 == 0 {
                        #expect(fixture.log.repair() == LogRepair(segments: 1))
                    }
                }
                _ = try fixture.log.erase([ErasureFixture.erased])
            }
            fixture.disk.state.withLock { #expect($0.syncsAfterFailure == 0) }
            #expect(fixture.log.usage.unrepaired == 0)
            let erased = fixture.disk.content(of: ErasureFixture.name)
            #expect(copy == nil || copy == erased)
            #expect(!ErasureFixture.isReadable(on: fixture.disk))
            try ErasureFixture.checkErased(fixture, fixture.log, on: fixture.disk)
        }
        #expect((unfinished > 5) == (kind != .short))
    }

    @Test func `A segment that retention takes takes its erasure along`() throws {
        let made = try ErasureFixture(others: 120, every: 9)
        let fixture = try Self.copied(made)
        fixture.disk.fail(
            SimulatedDisk.Fault(
                kind: .inputOutput, call: fixture.disk.calls + (try Self.calls(made).count / 2)))
        #expect(throws: SegmentLogError.self) {
            try fixture.log.erase([ErasureFixture.erased])
        }
        #expect(fixture.log.usage.unrepaired == 1)
        #expect(try fixture.log.retain(arrivalBefore: nil, bytesMax: 0).segments >= 1)
        #expect(fixture.log.usage.unrepaired == 0)
        #expect(try !fixture.disk.list().contains { $0.hasSuffix(SegmentFormat.erasureSuffix) })
    }

    @Test func `Readers beside an erasure see no damage, whatever they knew before`() throws {
        let made = try ErasureFixture(others: 4000, every: 40)
        let fixture = try Self.copied(made)
        let others = ErasureFixture.others(in: fixture)
        let before = try LogReader(disk: fixture.disk)
        // The marks of the session are cached from here on.
        _ = try fixture.contents(of: before, session: ErasureFixture.erased)
        _ = try fixture.contents(session: ErasureFixture.erased)
        let looks = Mutex(0)
        @Sendable func look() {
            let number = looks.withLock { looks in
                looks += 1
                return looks
            }
            fixture.disk.state.withLock { $0.duringWrite = look }
            guard number % 20 == 0 || number < 5 else { return }
            do {
                for reader in [fixture.log.reader(), before, try LogReader(disk: fixture.disk)] {
                    let read = try fixture.contents(of: reader)
                    #expect(
                        read.records.filter { $0.header.session != ErasureFixture.erased } == others
                    )
                    #expect(read.gaps.allSatisfy { $0.reason == .deleted })
                    let own = try fixture.contents(of: reader, session: ErasureFixture.erased)
                    #expect(own.records.allSatisfy { fixture.written[$0.header.offset] == $0 })
                    #expect(own.gaps.allSatisfy { $0.reason == .deleted })
                    #expect(try reader.verify().damaged.isEmpty)
                }
            } catch { Issue.record("\(error)") }
        }
        fixture.disk.state.withLock { $0.duringWrite = look }
        _ = try fixture.log.erase([ErasureFixture.erased])
        fixture.disk.state.withLock { $0.duringWrite = nil }
        #expect(looks.withLock { $0 } > 100)
        try ErasureFixture.checkErased(fixture, fixture.log, on: fixture.disk)
        #expect(try fixture.contents(of: before, session: ErasureFixture.erased).records.isEmpty)
        #expect(try before.verify().damaged.isEmpty)
    }

    /// The session is longer than what a reader reads in one piece.
    @Test(arguments: [1, 50, 1000, 2100, 4000])
    func `A reader in the middle of a segment that is erased from goes on`(count: Int) throws {
        let made = try ErasureFixture(others: 4000, every: 40)
        for isOwn in [true, false] {
            let fixture = try Self.copied(made)
            let reader = isOwn ? fixture.log.reader() : try LogReader(disk: fixture.disk)
            var seen: [RecordOffset] = []
            var reasons: Set<LogGap.Reason> = []
            try reader.read(
                from: RecordOffset(rawValue: 0), gap: { reasons.insert($0.reason) },
                record: { header, _ in
                    seen.append(header.offset)
                    if seen.count == count {
                        do throws(SegmentLogError) {
                            _ = try fixture.log.erase([ErasureFixture.erased])
                        } catch { Issue.record("\(error)") }
                    }
                    return true
                })
            #expect(!reasons.contains(.damaged))
            #expect(seen == seen.sorted() && Set(seen).count == seen.count)
            let others = ErasureFixture.others(in: fixture).map(\.header.offset)
            #expect(Set(seen).isSuperset(of: others))
            #expect(fixture.log.summary(of: ErasureFixture.erased) == nil)
        }
    }
}
