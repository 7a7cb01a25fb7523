import FaultyDisk
import Glibc
import SegmentLog
import SensorModel
import Synchronization
import Testing

/// Starts on full or unreadable disks: the log serves and recovers by itself.
@Suite struct DegradedStartTests {
    private static let name = "000000000001.segment"

    /// Returns a log killed with an open segment, all acknowledged, the first half earlier.
    private func killed(_ count: Int = 1000) throws -> LogFixture {
        var fixture = try LogFixture()
        fixture.head()
        for half in [count / 2, count - count / 2] {
            for _ in 0..<half { fixture.append() }
            fixture.log.syncAppended()
        }
        fixture.disk = fixture.disk.killed()
        return fixture
    }

    @Test func `A full disk is no reason not to start, and space is used when it is there`() throws
    {
        for call in 0..<8 {
            var fixture = try killed()
            let disk = fixture.disk
            disk.fail(
                SimulatedDisk.Fault(kind: .full, call: disk.calls + call, isForEver: true))
            try fixture.restart(on: disk, LogFixture.configuration())
            let isFailed = if case .failed = fixture.log.state { true } else { false }
            if call < 4 { #expect(isFailed) }
            #expect(fixture.acknowledged.failures.load(ordering: .relaxed) == (isFailed ? 1 : 0))
            // A number given out now would be given out again after a kill.
            #expect(fixture.log.hasRoom != isFailed)
            #expect((fixture.head() == nil) == isFailed)
            fixture.log.syncAppended()
            disk.fail(nil)
            fixture.log.syncAppended()
            fixture.head()
            fixture.append()
            fixture.log.syncAppended()
            #expect(fixture.log.state == .writing)
            #expect(fixture.log.durableEnd == fixture.log.nextOffset)
            _ = fixture.log.repair()
            #expect(fixture.log.usage.unrepaired == 0)
            #expect(try fixture.contents().records == fixture.inOrder)
            #expect(try fixture.log.reader().verify().damaged.isEmpty)
            try fixture.restart(on: disk.killed(), LogFixture.configuration())
            #expect(try fixture.contents().records == fixture.inOrder)
        }
    }

    @Test func `What was acknowledged is read while the disk takes only what is there already`()
        throws
    {
        var fixture = try killed()
        // No new file is possible, and existing ones may be overwritten.
        fixture.disk.state.withLock { $0.isFull = true }
        try fixture.restart(on: fixture.disk, LogFixture.configuration())
        #expect(fixture.log.recovery.leftOpen.map(\.segment) == [Self.name])
        #expect(fixture.log.recovery.leftOpen.first?.error.number == ENOSPC)
        #expect(try fixture.contents().records == fixture.inOrder)
        let summary = fixture.log.summary(of: LogFixture.runner)
        #expect(summary?.records == 1001)
        // Clients rely on these records from now on, so a power loss must not lose them.
        let after = fixture.disk.withoutUnsynced()
        #expect(try fixture.contents(of: LogReader(disk: after)).records == fixture.inOrder)
        // The reserve receives new records.
        fixture.log.syncAppended()
        fixture.head()
        fixture.append()
        fixture.log.syncAppended()
        #expect(fixture.log.state == .writing)
        #expect(fixture.log.durableEnd == fixture.log.nextOffset)
        #expect(fixture.log.repair().left == 1)
        fixture.disk.state.withLock { $0.isFull = false }
        #expect(fixture.log.repair().segments == 1)
        #expect(try fixture.contents().records == fixture.inOrder)
    }

    @Test(arguments: [200, 9000, 40_000, 90_000, 111_100])
    func `A block that cannot be read costs its records and no others`(byte: Int) throws {
        var fixture = try killed()
        let disk = fixture.disk
        let block = byte / 4096 * 4096
        disk.state.withLock { $0.unreadable = [Self.name: block..<(block + 4096)] }
        try fixture.restart(on: disk, LogFixture.configuration())
        #expect(fixture.log.state == .writing)
        guard block > 0 else {
            // The header itself is unreadable, so the owners of these records are unknown.
            #expect(fixture.log.recovery.damaged.map(\.reason) == [.unreadable])
            #expect(fixture.log.nextOffset.rawValue > 1001)
            return
        }
        #expect(fixture.log.recovery.leftOpen.map(\.segment) == [Self.name])
        #expect(fixture.log.recovery.damaged.map(\.byte) == [block])
        #expect(fixture.log.nextOffset.rawValue > 1001)
        let lost = Set(fixture.inOrder).subtracting(try fixture.contents().records)
        #expect((1...40).contains(lost.count))
        #expect(fixture.log.repair().left == 1)
        fixture.head()
        fixture.append()
        fixture.log.syncAppended()
        let reasons = try fixture.log.reader().verify().damaged.map(\.reason)
        #expect(reasons.contains(.unreadable))
        // Once the disk can read them again, all records are back.
        disk.state.withLock { $0.unreadable = [:] }
        #expect(fixture.log.repair().segments == 1)
        #expect(try fixture.contents().records == fixture.inOrder)
        #expect(try fixture.log.reader().verify().damaged.isEmpty)
    }

    @Test func `A sealed segment whose index cannot be read is read, and never rewritten`() throws {
        var fixture = try killed()
        try fixture.restart(on: fixture.disk, LogFixture.configuration())
        fixture.log.close()
        let sealed = fixture.disk
        let whole = sealed.content(of: Self.name)
        try sealed.remove("catalog")
        // Also with a flipped bit that only the index reveals as damage.
        for isTurned in [false, true] {
            let disk = sealed.killed()
            var bytes = whole
            if isTurned { bytes[111_000] ^= 1 }
            disk.replace(Self.name, with: bytes)
            disk.state.withLock { $0.unreadable = [Self.name: (bytes.count - 16)..<bytes.count] }
            var again = fixture
            try again.restart(on: disk, LogFixture.configuration())
            // All records except those that share a block with the trailer.
            #expect(try again.contents().records.count > 950)
            #expect(again.log.repair().left == 1)
            disk.state.withLock { $0.unreadable = [:] }
            #expect(again.log.repair().segments == 1)
            #expect(try again.contents().records.count == (isTurned ? 1000 : 1001))
            #expect(disk.content(of: Self.name) == bytes)
        }
    }

    @Test func `A read-only disk is read, and what was acknowledged is known before it is written`()
        throws
    {
        var fixture = try killed()
        let disk = fixture.disk
        disk.state.withLock { $0.isReadOnly = true }
        try fixture.restart(on: disk, LogFixture.configuration())
        #expect(fixture.log.recovery.leftOpen.map(\.error.number) == [EROFS])
        // The page cache may hold more than the disk; an anchor proves what the disk holds.
        let shown = try fixture.contents().records
        #expect(shown.count > 500)
        #expect(fixture.inOrder.starts(with: shown))
        fixture.log.syncAppended()
        #expect(fixture.head() == nil && fixture.log.awaitsRecords)
        guard case .failed(let error) = fixture.log.state else {
            Issue.record("a read-only disk was written")
            return
        }
        #expect("\(error)".hasPrefix("the file system is read-only"))
        disk.state.withLock { $0.isReadOnly = false }
        fixture.log.syncAppended()
        #expect(!fixture.log.awaitsRecords)
        // A device that says hello now resends the frames after this number.
        #expect(fixture.log.summary(of: LogFixture.runner)?.highestSequence.rawValue == 1000)
        #expect(fixture.head() != nil)
        fixture.append()
        fixture.log.syncAppended()
        #expect(try fixture.contents().records == fixture.inOrder)
        #expect(fixture.log.repair().segments == 1)
        #expect(try fixture.contents().records == fixture.inOrder)
        #expect(try fixture.log.reader().verify().damaged.isEmpty)
        let after = disk.withoutUnsynced()
        #expect(try fixture.contents(of: LogReader(disk: after)).records == fixture.inOrder)
    }

    /// A crash cut the last record, or lost one before complete ones.
    @Test(arguments: ["cut", "left out"])
    func `A sound log whose crash could not be repaired yet is verified as sound`(
        tail: String
    ) throws {
        var fixture = try killed()
        var bytes = fixture.disk.content(of: Self.name)
        if tail == "cut" {
            bytes += [UInt8](repeating: 0x5A, count: 40)
        } else {
            bytes[bytes.count - 1000] ^= 1
        }
        fixture.disk.replace(Self.name, with: bytes)
        fixture.disk.state.withLock { $0.isFull = true }
        try fixture.restart(on: fixture.disk, LogFixture.configuration())
        fixture.log.syncAppended()
        fixture.head()
        fixture.append()
        fixture.log.syncAppended()
        #expect(fixture.log.state == .writing)
        let waiting = try LogReader(disk: fixture.disk).verify()
        #expect(waiting.damaged.isEmpty)
        #expect(waiting.tornTail?.segment == Self.name)
        fixture.disk.state.withLock { $0.isFull = false }
        let repair = fixture.log.repair()
        #expect(repair.segments == 1 && repair.damaged.isEmpty)
        let repaired = try LogReader(disk: fixture.disk).verify()
        #expect(repaired.damaged.isEmpty && repaired.tornTail == nil)
        #expect(repaired.records == waiting.records)
    }

    @Test func `A log begins on a disk that takes nothing yet`() throws {
        let disk = SimulatedDisk()
        disk.fail(SimulatedDisk.Fault(kind: .full, call: 0, isForEver: true))
        var fixture = try LogFixture(disk: disk)
        #expect(fixture.head() == nil)
        fixture.log.syncAppended()
        #expect(fixture.log.durableEnd == RecordOffset(rawValue: 0))
        #expect(try fixture.contents().records.isEmpty)
        disk.fail(nil)
        fixture.log.syncAppended()
        #expect(fixture.log.state == .writing)
        fixture.head()
        fixture.append()
        fixture.log.syncAppended()
        #expect(try fixture.contents().records == fixture.inOrder)
        fixture.log.close()
        #expect(try LogReader(disk: disk).verify().damaged.isEmpty)
    }
}
