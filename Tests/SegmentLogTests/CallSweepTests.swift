import FaultyDisk
import Foundation
import SegmentLog
import SensorModel
import Synchronization
import Testing

/// Fails each call of a scripted workload in turn, once and permanently.
@Suite struct CallSweepTests {
    private static let isLong = ProcessInfo.processInfo.environment["PULSECAST_LONG"] == "1"
    private static let configuration = LogFixture.configuration(segmentBytesMax: 4096)

    /// Rounds of appends, each settled; segments roll every eighth or so.
    private static func workload(_ fixture: inout LogFixture) {
        fixture.head()
        for round in 0..<200 {
            fixture.append(payload: LogFixture.payload(fixture.sequence, bytes: 400))
            if round % 4 == 0 { fixture.append(payload: []) }
            let before = fixture.log.durableEnd
            fixture.log.syncAppended()
            if case .failed = fixture.log.state {
                // After a disk failure the newest record must not count as durable; a log that
                // failed from the start gives out no number.
                #expect(
                    fixture.log.durableEnd < fixture.log.nextOffset
                        || fixture.log.nextOffset.rawValue == 0)
                #expect(fixture.log.durableEnd >= before)
            }
        }
    }

    private static func calls() throws -> Int {
        var fixture = try LogFixture(configuration: configuration)
        workload(&fixture)
        fixture.log.close()
        return fixture.disk.calls
    }

    @Test(arguments: SimulatedDisk.Fault.Kind.allCases, [false, true])
    func `A call that fails costs no acknowledged record`(
        kind: SimulatedDisk.Fault.Kind, isForEver: Bool
    ) throws {
        let calls = try Self.calls()
        #expect(calls >= 500)
        let step = Self.isLong ? 1 : 7
        print("\(kind): every \(step)th of \(calls) calls; all with PULSECAST_LONG=1")
        for call in stride(from: 0, to: calls, by: step) {
            try Self.check(
                SimulatedDisk.Fault(kind: kind, call: call, isForEver: isForEver))
        }
    }

    private static func check(_ fault: SimulatedDisk.Fault) throws {
        let disk = SimulatedDisk()
        disk.fail(fault)
        let ledger = LogFixture.Ledger()
        var fixture: LogFixture
        do throws(SegmentLogError) {
            fixture = try LogFixture(disk: disk, configuration: configuration, ledger: ledger)
        } catch {
            // The disk failed before the log was open: nothing was promised.
            _ = try LogFixture(disk: disk.killed(), configuration: configuration)
            return
        }
        workload(&fixture)
        let durableEnd = ledger.durableEnd.load(ordering: .relaxed)
        #expect(fixture.log.durableEnd.rawValue == durableEnd)
        if !fault.isForEver || fault.kind == .short {
            #expect(fixture.log.state == .writing)
            #expect(fixture.log.durableEnd == fixture.log.nextOffset)
            #expect(try fixture.contents().records == fixture.inOrder)
        }
        disk.state.withLock { #expect($0.syncsAfterFailure == 0) }
        var random = SplitMix(state: UInt64(fault.call))
        for after in [disk.killed(), disk.crashed(&random)] {
            let again = try LogFixture(disk: after, configuration: configuration)
            let found = try again.contents(of: again.log.reader()).records
            let promised = fixture.inOrder.filter { $0.header.offset.rawValue < durableEnd }
            #expect(Array(found.prefix(promised.count)) == promised)
            #expect(found.allSatisfy { fixture.written[$0.header.offset] == $0 })
        }
    }

    @Test func `A full disk is survived on the reserve, and left when there is space`() throws {
        var fixture = try LogFixture(configuration: Self.configuration)
        fixture.head()
        fixture.append()
        fixture.log.syncAppended()
        // Each write to a new file finds the disk full; the reserve is an existing file.
        fixture.disk.fail(SimulatedDisk.Fault(kind: .full, call: fixture.disk.calls))
        fixture.append()
        fixture.log.syncAppended()
        #expect(fixture.acknowledged.failures.load(ordering: .relaxed) == 1)
        #expect(fixture.log.state == .writing)
        #expect(fixture.log.durableEnd == fixture.log.nextOffset)
        #expect(try !fixture.disk.list().contains("reserve"))
        for _ in 0..<200 { fixture.append() }
        fixture.log.syncAppended()
        #expect(try fixture.disk.list().contains("reserve"))
        #expect(try fixture.contents().records == fixture.inOrder)
        #expect(try fixture.log.reader().verify().damaged.isEmpty)
        fixture.log.close()
        #expect(try LogReader(disk: fixture.disk).verify().damaged.isEmpty)
    }

    @Test func `While the disk fails records wait in memory, up to the bound`() throws {
        var fixture = try LogFixture(
            configuration: LogConfiguration(segmentBytesMax: 4096, pendingBytesMax: 20_000))
        fixture.head()
        fixture.log.syncAppended()
        fixture.disk.fail(
            SimulatedDisk.Fault(
                kind: .inputOutput, call: fixture.disk.calls, isForEver: true))
        var taken = 0
        while fixture.append() != nil {
            taken += 1
            fixture.log.syncAppended()
            guard case .failed = fixture.log.state else {
                Issue.record("writing on a disk that fails")
                return
            }
        }
        #expect(taken > 100)
        #expect(fixture.log.durableEnd == LogFixture.end(after: 0))
        fixture.disk.fail(nil)
        fixture.log.syncAppended()
        #expect(fixture.log.state == .writing)
        #expect(fixture.log.durableEnd == fixture.log.nextOffset)
        #expect(try fixture.contents().records == fixture.inOrder)
    }
}
