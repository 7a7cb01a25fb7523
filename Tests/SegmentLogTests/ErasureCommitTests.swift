import FaultyDisk
import Foundation
import SensorModel
import Synchronization
import Testing

@testable import SegmentLog

/// A session in several segments is removed from all of them atomically.
@Suite struct ErasureCommitTests {
    private static let configuration = LogFixture.configuration(segmentBytesMax: 10_000)
    private static let erased = ErasureFixture.erased
    private static let isLong = ProcessInfo.processInfo.environment["PULSECAST_LONG"] == "1"

    /// A log with a session in some segments beside another and in others alone; the last is open.
    private static func recorded() throws -> LogFixture {
        var fixture = try LogFixture(configuration: configuration)
        fixture.head()
        fixture.head(erased, payload: ErasureFixture.planted)
        for count in 0..<400 {
            if count % 9 == 0 || count > 250 && count < 380 {
                fixture.append(of: erased, payload: ErasureFixture.planted)
            } else {
                fixture.append()
            }
        }
        fixture.log.syncAppended()
        try fixture.log.saveCatalog()
        return fixture
    }

    private static func others(in fixture: LogFixture) -> [LogFixture.Written] {
        fixture.inOrder.filter { $0.header.session != erased }
    }

    private static func copied(_ made: LogFixture) throws -> LogFixture {
        var fixture = made
        try fixture.restart(on: made.disk.killed(), configuration)
        return fixture
    }

    private static func callCount(_ made: LogFixture) throws -> Int {
        let fixture = try copied(made)
        let before = fixture.disk.calls
        _ = try fixture.log.erase([erased])
        return fixture.disk.calls - before
    }

    /// - Returns: Whether the session is there; it must be complete or absent.
    private static func isThere(
        _ fixture: LogFixture, _ reader: LogReader, _ what: String
    ) throws -> Bool {
        let records = try fixture.contents(of: reader).records
        let own = try fixture.contents(of: reader, session: erased).records
        #expect(records == fixture.inOrder || records == others(in: fixture), "\(what)")
        #expect(own.isEmpty == (records != fixture.inOrder), "\(what)")
        #expect((reader.summary(of: erased) == nil) == own.isEmpty, "\(what)")
        #expect(try reader.verify().damaged.isEmpty, "\(what)")
        return !own.isEmpty
    }

    @Test func `A power loss at any call leaves all of a session or nothing`() throws {
        let made = try Self.recorded()
        #expect(made.log.segments().count > 4)
        var (whole, gone) = (0, 0)
        for call in 0..<(try Self.callCount(made)) {
            let fixture = try Self.copied(made)
            fixture.disk.fail(
                SimulatedDisk.Fault(
                    kind: .inputOutput, call: fixture.disk.calls + call, isForEver: true))
            do throws(SegmentLogError) { _ = try fixture.log.erase([Self.erased]) } catch {}
            var random = SplitMix(state: UInt64(call))
            let disks =
                [fixture.disk.killed(), fixture.disk.withoutUnsynced()]
                + (0..<(Self.isLong ? 100 : 6)).map { _ in fixture.disk.crashed(&random) }
            for (number, disk) in disks.enumerated() {
                let what = "call \(call), crash \(number)"
                // Another process reads before the start.
                let before = try Self.isThere(fixture, LogReader(disk: disk.killed()), what)
                var again = fixture
                try again.restart(on: disk, Self.configuration)
                #expect(again.log.recovery.damaged.isEmpty, "\(what)")
                let isThere = try Self.isThere(again, again.log.reader(), what)
                #expect(isThere == before, "\(what)")
                whole += isThere ? 1 : 0
                gone += isThere ? 0 : 1
                if isThere { _ = try again.log.erase([Self.erased]) }
                #expect(!ErasureFixture.isReadable(on: again.disk), "\(what)")
                #expect(try again.disk.list().allSatisfy { !$0.contains("erasure") })
            }
        }
        print("\(whole + gone) power losses: \(whole) before the commit, \(gone) after it")
        #expect(whole > 100 && gone > 100)
    }

    @Test(arguments: SimulatedDisk.Fault.Kind.allCases)
    func `A call that fails leaves a reader all of a session or nothing`(
        kind: SimulatedDisk.Fault.Kind
    ) throws {
        let made = try Self.recorded()
        for call in 0..<(try Self.callCount(made)) {
            let fixture = try Self.copied(made)
            fixture.disk.fail(SimulatedDisk.Fault(kind: kind, call: fixture.disk.calls + call))
            do throws(SegmentLogError) { _ = try fixture.log.erase([Self.erased]) } catch {
                #expect(kind != .short)
                fixture.log.syncAppended()
            }
            for reader in [fixture.log.reader(), try LogReader(disk: fixture.disk)] {
                _ = try Self.isThere(fixture, reader, "call \(call)")
            }
            if call % 2 == 0 { _ = fixture.log.repair() }
            _ = try fixture.log.erase([Self.erased])
            #expect(try !Self.isThere(fixture, fixture.log.reader(), "call \(call)"))
            #expect(!ErasureFixture.isReadable(on: fixture.disk), "call \(call)")
            #expect(fixture.log.usage.unrepaired == 0, "call \(call)")
            fixture.disk.state.withLock { #expect($0.syncsAfterFailure == 0) }
        }
    }

    @Test func `A start on a disk that takes no changes shows the session as erased`() throws {
        let made = try Self.recorded()
        var shown = 0
        for call in 0..<(try Self.callCount(made)) {
            let fixture = try Self.copied(made)
            fixture.disk.fail(
                SimulatedDisk.Fault(
                    kind: .inputOutput, call: fixture.disk.calls + call, isForEver: true))
            do throws(SegmentLogError) { _ = try fixture.log.erase([Self.erased]) } catch {}
            let names = try fixture.disk.list()
            guard names.contains(ErasureCommit.name) else { continue }
            let disk = fixture.disk.killed()
            disk.fail(SimulatedDisk.Fault(kind: .inputOutput, call: 0, isForEver: true))
            var again = fixture
            try again.restart(on: disk, Self.configuration)
            #expect(again.log.recovery.leftOpen.count >= 3)
            #expect(again.log.summary(of: Self.erased) == nil)
            #expect(try again.contents(session: Self.erased).records.isEmpty)
            // Once the disk accepts changes, the erasure completes.
            disk.fail(nil)
            again.log.syncAppended()
            _ = again.log.repair()
            #expect(!ErasureFixture.isReadable(on: disk))
            #expect(again.log.usage.unrepaired == 0)
            #expect(try !Self.isThere(again, again.log.reader(), "call \(call)"))
            shown += 1
        }
        #expect(shown > 5)
    }

    @Test func `Readers beside the erasure see all of a session or nothing`() throws {
        let made = try Self.recorded()
        let fixture = try Self.copied(made)
        let seen = Mutex<[Bool]>([])
        @Sendable func look() {
            fixture.disk.state.withLock { $0.duringWrite = look }
            do {
                for reader in [fixture.log.reader(), try LogReader(disk: fixture.disk)] {
                    let isThere = try Self.isThere(fixture, reader, "beside")
                    seen.withLock { $0.append(isThere) }
                }
            } catch { Issue.record("\(error)") }
        }
        fixture.disk.state.withLock { $0.duringWrite = look }
        _ = try fixture.log.erase([Self.erased])
        fixture.disk.state.withLock { $0.duringWrite = nil }
        #expect(seen.withLock { $0.contains(true) && $0.contains(false) })
    }

    @Test func `Retention of a segment takes what was prepared for it along`() throws {
        let made = try Self.recorded()
        for call in 0..<(try Self.callCount(made)) {
            let fixture = try Self.copied(made)
            fixture.disk.fail(SimulatedDisk.Fault(kind: .full, call: fixture.disk.calls + call))
            do throws(SegmentLogError) { _ = try fixture.log.erase([Self.erased]) } catch {}
            fixture.log.syncAppended()
            _ = try fixture.log.retain(arrivalBefore: nil, bytesMax: 0)
            _ = fixture.log.repair()
            #expect(fixture.log.segments().count == 1)
            #expect(fixture.log.usage.unrepaired == 0)
            let names = try fixture.disk.list().filter { $0.hasPrefix("0") }
            #expect(names == [fixture.log.segments()[0].name], "call \(call)")
        }
    }

    @Test func `A commit survives being stored, and one that is torn is none`() {
        let commit = ErasureCommit([
            ErasurePart(number: 3, kind: .intent, bytes: 90, fingerprint: 7),
            ErasurePart(number: 1 << 40, kind: .replacement, bytes: 1 << 33, fingerprint: .max),
        ])
        let bytes = commit.encoded()
        #expect(ErasureCommit(decoding: bytes) == commit)
        for count in bytes.indices {
            #expect(ErasureCommit(decoding: Array(bytes.prefix(count))) == nil)
            var turned = bytes
            turned[count] ^= 1
            #expect(ErasureCommit(decoding: turned) == nil)
        }
    }

    @Test func `Sessions are erased in batches of few segments, each session in one`() {
        var places: [(session: SessionID, segments: [UInt64])] = []
        for number in UInt64(0)..<300 {
            places.append((SessionID(high: 1, low: number), [number / 2, number / 2 + 1]))
        }
        let batches = ErasureBatch.batches(places.shuffled())
        #expect(batches.allSatisfy { $0.segments.count <= ErasureBatch.segmentsMax })
        #expect(batches.reduce(0) { $0 + $1.sessions.count } == 300)
        #expect(batches.count == 3)
        let long = [(session: SessionID(high: 2, low: 2), segments: (1...200).map(UInt64.init))]
        #expect(ErasureBatch.batches(long).map(\.segments.count) == [200])
        #expect(ErasureBatch.batches([(session: SessionID(high: 3, low: 3), segments: [])]) == [])
    }
}
