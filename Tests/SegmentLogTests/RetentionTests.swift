import FaultyDisk
import SensorModel
import Synchronization
import Testing

@testable import SegmentLog

@Suite struct RetentionTests {
    private static let configuration = LogFixture.configuration(segmentBytesMax: 10_000)
    private static let later = LogFixture.start.advanced(bySeconds: 100)
    private let erased = SessionID(high: 0xDEAD, low: 0x8EAD)

    private func filled(_ count: Int = 500) throws -> LogFixture {
        var fixture = try LogFixture(configuration: Self.configuration)
        fixture.head()
        for _ in 0..<count { fixture.append() }
        fixture.log.syncAppended()
        return fixture
    }

    @Test func `Age passes segments whose records were all deleted`() throws {
        var fixture = try LogFixture(configuration: Self.configuration)
        fixture.head(erased)
        for _ in 0..<300 { fixture.append(of: erased) }
        fixture.head()
        for _ in 0..<300 { fixture.append() }
        fixture.log.syncAppended()
        _ = try fixture.log.erase([erased])
        #expect(fixture.log.segments().first?.records == 0)
        _ = try fixture.log.retain(arrivalBefore: Self.later, bytesMax: nil)
        #expect(fixture.log.segments().count == 1)
        #expect(fixture.log.usage.bytes == fixture.log.segments()[0].bytes)
    }

    @Test func `A session goes on of which retention took everything`() throws {
        var fixture = try LogFixture(configuration: Self.configuration)
        fixture.head(erased)
        fixture.append(of: erased)
        fixture.head()
        for _ in 0..<500 { fixture.append() }
        fixture.log.syncAppended()
        for isRestarted in [false, true] {
            _ = try fixture.log.retain(arrivalBefore: nil, bytesMax: 0)
            #expect(fixture.log.summary(of: erased) == nil)
            if isRestarted {
                try fixture.restart(on: fixture.disk.killed(), Self.configuration)
            }
            #expect(fixture.append(of: erased) != nil)
            fixture.log.syncAppended()
            #expect(fixture.log.summary(of: erased)?.records == 1)
            #expect(fixture.log.summary(of: erased)?.device == LogFixture.device)
            for _ in 0..<500 { fixture.append() }
            fixture.log.syncAppended()
        }
    }

    @Test func `A segment of unknown age goes with the next one that goes`() throws {
        var fixture = try filled()
        for name in ["000000000001.segment", "000000000003.segment"] {
            var bytes = fixture.disk.content(of: name)
            for index in 0..<128 { bytes[index] = 0xAA }
            fixture.disk.replace(name, with: bytes)
        }
        try fixture.restart(on: fixture.disk.killed(), Self.configuration)
        let count = fixture.log.segments().count
        let none = try fixture.log.retain(arrivalBefore: LogFixture.start, bytesMax: nil)
        #expect(none.segments == 0)
        let erasure = try fixture.log.retain(arrivalBefore: Self.later, bytesMax: nil)
        #expect(erasure.segments == count - 1)
    }

    @Test func `A time that no clock can have had yet does not stop retention`() throws {
        let fixture = try filled()
        // The clock was wrong for a while.
        let wrong = LogFixture.start.advanced(bySeconds: 86_400 * 30)
        for _ in 0..<100 {
            _ = fixture.log.append(
                .tick, session: LogFixture.runner, device: LogFixture.device, sequence: .none,
                deviceTime: wrong,
                arrivalTime: wrong, payload: [1, 2, 3].span)
        }
        var again = fixture
        for _ in 0..<500 { again.append() }
        again.log.syncAppended()
        _ = try again.log.retain(arrivalBefore: Self.later, bytesMax: nil)
        #expect(again.log.segments().count == 1)
    }

    @Test func `What a failing disk does not delete is not shown, and goes the next time`() throws {
        for call in 0..<12 {
            var fixture = try filled()
            let before = fixture.log.segments().count
            fixture.disk.fail(
                SimulatedDisk.Fault(
                    kind: .inputOutput, call: fixture.disk.calls + call, isForEver: true))
            #expect(throws: SegmentLogError.self) {
                try fixture.log.retain(arrivalBefore: Self.later, bytesMax: nil)
            }
            #expect(fixture.log.segments().count == 1)
            // Without a sync of the directory, no removal is permanent.
            #expect(fixture.log.usage.overdue == before - 1)
            #expect(fixture.log.usage.bytes > 50_000)
            #expect(fixture.log.usage.oldestArrival == LogFixture.start)
            #expect(fixture.log.usage.failures == 1)
            let read = try fixture.contents()
            #expect(read.gaps.map(\.reason) == [.removed])
            fixture.disk.fail(nil)
            if call % 2 == 0 {
                try fixture.restart(on: fixture.disk.killed(), Self.configuration)
                let left = try fixture.log.retain(arrivalBefore: Self.later, bytesMax: nil)
                #expect(left.segments >= before - 1 - call)
            } else {
                // This call's limit selects nothing, but overdue segments are removed.
                let left = try fixture.log.retain(arrivalBefore: LogFixture.start, bytesMax: nil)
                #expect(left.segments == before - 1)
                #expect(fixture.log.usage.deletedSegments == before - 1)
            }
            #expect(fixture.log.segments().count == 1)
            #expect(fixture.log.usage.overdue == 0)
            #expect(try fixture.log.reader().verify().damaged.isEmpty)
        }
    }

    @Test(arguments: [["000000000001.segment"], ["000000000002.segment", "000000000004.segment"]])
    func `A segment that cannot be removed is emptied, and stops none of the others`(
        names: [String]
    ) throws {
        for isWritable in [true, false] {
            let fixture = try filled()
            let count = fixture.log.segments().count
            let kept = try fixture.contents().records.filter {
                $0.header.offset >= fixture.log.segments()[count - 1].firstOffset
            }
            fixture.disk.state.withLock { state in
                state.unremovable = Set(names)
                if !isWritable { state.unwritable = Set(names) }
            }
            #expect(throws: SegmentLogError.self) {
                try fixture.log.retain(arrivalBefore: Self.later, bytesMax: nil)
            }
            #expect(fixture.log.segments().count == 1)
            #expect(fixture.log.usage.deletedSegments == count - 1 - names.count)
            #expect(fixture.log.usage.overdue == names.count)
            let segments = try fixture.disk.list().filter { $0.hasSuffix(".segment") }
            #expect(segments.count == 1 + names.count && segments.contains(names[0]))
            for name in names {
                #expect(fixture.disk.content(of: name).isEmpty == isWritable)
            }
            #expect(try fixture.contents().records == kept)
            if isWritable {
                #expect(try LogReader(disk: fixture.disk).verify().damaged.isEmpty)
                #expect(fixture.log.usage.bytes == fixture.log.segments()[0].bytes)
            }
            // The next start does not report any of it as lost either.
            for disk in [fixture.disk.killed(), fixture.disk.withoutUnsynced()] {
                #expect(try LogReader(disk: disk).verify().damaged.isEmpty)
                var again = fixture
                try again.restart(on: disk, Self.configuration)
                #expect(again.log.recovery.damaged.isEmpty)
                #expect(try again.contents().records == kept)
                #expect(try !again.contents().gaps.contains { $0.reason == .damaged })
                #expect(again.log.usage.overdue == names.count)
                _ = try again.log.retain(arrivalBefore: nil, bytesMax: nil)
                #expect(again.log.usage.overdue == 0)
                let left = try disk.list().filter { $0.hasPrefix("0") }
                #expect(left.allSatisfy { $0.hasSuffix(".segment") && !names.contains($0) })
            }
            fixture.disk.state.withLock { state in
                state.unremovable = []
                state.unwritable = []
            }
            _ = try fixture.log.retain(arrivalBefore: Self.later, bytesMax: nil)
            #expect(try !fixture.disk.list().contains(names[0]))
            #expect(try fixture.log.reader().verify().damaged.isEmpty)
        }
    }

    /// A full disk accepts no mark, and the catalog could not be written either.
    @Test func `A catalog that still knows an emptied segment is not believed`() throws {
        let fixture = try filled()
        try fixture.log.saveCatalog()
        let disk = fixture.disk.withoutUnsynced()
        let file = try disk.open("000000000001.segment", .write)
        try file.truncate(to: 0)
        try file.synchronize()
        var again = fixture
        #expect(try LogReader(disk: disk).verify().damaged.isEmpty)
        try again.restart(on: disk, Self.configuration)
        #expect(again.log.recovery.damaged.isEmpty)
        #expect(try !again.contents().gaps.contains { $0.reason == .damaged })
        #expect(try again.log.reader().verify().damaged.isEmpty)
        #expect(try !disk.list().contains("000000000001.segment"))
    }

    @Test func `If the disk takes no mark either, what is left has no gap in its midst`() throws {
        let fixture = try filled()
        let name = "000000000002.segment"
        fixture.disk.state.withLock { state in
            state.unremovable = [name]
            state.unwritable = [name]
            state.isFull = true
        }
        #expect(throws: SegmentLogError.self) {
            try fixture.log.retain(arrivalBefore: Self.later, bytesMax: nil)
        }
        var again = fixture
        try again.restart(on: fixture.disk.killed(), Self.configuration)
        #expect(again.log.recovery.damaged.isEmpty)
        #expect(try again.contents().gaps.map(\.reason) == [.removed])
        #expect(again.log.segments()[0].name == name)
    }

    @Test func `An erasure fails while a file that retention left may hold the session`() throws {
        let fixture = try filled()
        let name = "000000000001.segment"
        fixture.disk.state.withLock { state in
            state.unremovable = [name]
            state.unwritable = [name]
        }
        _ = try? fixture.log.retain(arrivalBefore: Self.later, bytesMax: nil)
        #expect(throws: SegmentLogError.self) { try fixture.log.erase([LogFixture.runner]) }
        #expect(try fixture.log.erase([ErasureFixture.erased]).sessions == 0)
        fixture.disk.state.withLock { state in
            state.unremovable = []
            state.unwritable = []
        }
        _ = try fixture.log.erase([LogFixture.runner])
        #expect(try !fixture.disk.list().contains(name))
        #expect(fixture.log.usage.overdue == 0)
    }

    /// A segment without records, as a failed roll leaves it, among those that retention removes.
    @Test(arguments: [true, false])
    func `What is left of a failed roll among removed segments is told by a mark`(
        isWritable: Bool
    ) throws {
        let fixture = try filled()
        let left = fixture.log.segments()[1].name
        let number = try #require(SegmentFormat.number(ofFile: left))
        _ = fixture.log.core.withLock { $0.forget(number) }
        fixture.log.abandoned.withLock { _ = $0.insert(number) }
        fixture.disk.replace(
            left, with: Array(fixture.disk.content(of: left).prefix(SegmentFormat.recordsStart)))
        fixture.disk.state.withLock { state in
            state.unremovable = [left, "000000000001.segment"]
            if !isWritable { state.unwritable = [left] }
        }
        let kept = try fixture.contents().records.suffix(1)
        #expect(throws: SegmentLogError.self) {
            try fixture.log.retain(arrivalBefore: Self.later, bytesMax: nil)
        }
        fixture.disk.state.withLock { $0.unremovable = [left] }
        _ = try? fixture.log.retain(arrivalBefore: nil, bytesMax: nil)
        #expect(fixture.log.usage.overdue == 0)
        for disk in [fixture.disk.killed(), fixture.disk.withoutUnsynced()] {
            #expect(try LogReader(disk: disk).verify().damaged.isEmpty)
            var again = fixture
            try again.restart(on: disk, Self.configuration)
            #expect(again.log.recovery.damaged.isEmpty)
            #expect(try again.contents().records.suffix(1) == kept)
            #expect(try !again.contents().gaps.contains { $0.reason == .damaged })
        }
        fixture.disk.state.withLock { $0.unremovable = [] }
        #expect(fixture.log.repair().error == nil)
        _ = try fixture.log.retain(arrivalBefore: nil, bytesMax: nil)
        #expect(try fixture.disk.list().filter { $0.hasPrefix("0") }.count == 1)
    }

    @Test func `A file that a failed disk left and that cannot be removed stops no retention`()
        throws
    {
        var fixture = try filled(50)
        fixture.append()
        // The segment that was to take over stays without records.
        fixture.disk.fail(SimulatedDisk.Fault(kind: .inputOutput, call: fixture.disk.calls))
        fixture.log.syncAppended()
        for _ in 0..<500 { fixture.append() }
        fixture.log.syncAppended()
        let segments = fixture.log.segments()
        fixture.log.abandoned.withLock { _ = $0.insert(77) }
        fixture.disk.replace("000000000077.segment", with: [])
        fixture.disk.state.withLock { $0.unremovable = ["000000000077.segment"] }
        _ = fixture.log.repair()
        _ = try? fixture.log.retain(arrivalBefore: Self.later, bytesMax: nil)
        #expect(segments.count > 4 && fixture.log.segments().count == 1)
    }

    @Test func `A reader beside retention is told of what is gone`() throws {
        let fixture = try filled()
        let first = fixture.log.segments()[1].firstOffset
        try fixture.disk.remove("000000000001.segment")
        let read = try fixture.contents()
        #expect(read.records == fixture.inOrder.filter { $0.header.offset >= first })
        #expect(
            read.gaps == [
                LogGap(from: RecordOffset(rawValue: 0), to: first, reason: .removed)
            ])
    }

    @Test func `What a failed disk left open is repaired while the log goes on`() throws {
        for call in 0..<12 {
            var fixture = try filled(50)
            fixture.append()
            fixture.disk.fail(
                SimulatedDisk.Fault(kind: .inputOutput, call: fixture.disk.calls))
            fixture.log.syncAppended()
            for _ in 0..<20 { fixture.append() }
            fixture.log.syncAppended()
            #expect(fixture.log.segments().map(\.isSealed) == [false, false])
            #expect(fixture.log.usage.unrepaired == 1)
            // A failed removal is tried again.
            fixture.disk.fail(
                SimulatedDisk.Fault(kind: .inputOutput, call: fixture.disk.calls + call))
            if fixture.log.repair().left > 0 {
                #expect(try fixture.contents().records == fixture.inOrder)
                #expect(fixture.log.repair().segments == 1)
            }
            #expect(fixture.log.segments().map(\.isSealed) == [true, false])
            #expect(fixture.log.usage.unrepaired == 0)
            #expect(try fixture.contents().records == fixture.inOrder)
            #expect(try fixture.log.reader().verify().damaged.isEmpty)
            fixture.disk.fail(nil)
            _ = try fixture.log.retain(arrivalBefore: nil, bytesMax: 0)
            #expect(fixture.log.segments().count == 1)
        }
    }

    /// A clean stop after an erasure leaves an empty segment, and a takeover names the one before.
    @Test func `Nothing is missing after an empty segment whose predecessor retention removed`()
        throws
    {
        var fixture = try LogFixture(configuration: Self.configuration)
        fixture.head(erased)
        fixture.append(of: erased)
        fixture.log.syncAppended()
        _ = try fixture.log.erase([erased])
        fixture.log.close()
        for _ in 0..<2 { try fixture.restart(on: fixture.disk.killed(), Self.configuration) }
        fixture.head()
        fixture.append()
        fixture.disk.fail(SimulatedDisk.Fault(kind: .inputOutput, call: fixture.disk.calls))
        fixture.log.syncAppended()
        fixture.append()
        fixture.log.syncAppended()
        fixture.log.close()
        try fixture.restart(on: fixture.disk.killed(), Self.configuration)
        let bytes = fixture.log.segments().dropFirst().reduce(0) { $0 + $1.bytes }
        #expect(try fixture.log.retain(arrivalBefore: nil, bytesMax: bytes).segments == 1)
        try fixture.restart(on: fixture.disk.killed(), Self.configuration)
        let read = try fixture.contents()
        #expect(read.records == fixture.inOrder.filter { $0.header.session != erased })
        #expect(!read.gaps.contains { $0.reason == .damaged })
    }
}
