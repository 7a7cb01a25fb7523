import FaultyDisk
import SegmentLog
import SensorModel
import Synchronization
import Testing

/// Starts that meet disk errors, and the state they must leave for later starts.
@Suite struct StartFaultTests {
    private static let configuration = LogFixture.configuration(segmentBytesMax: 4096)

    /// Two lives of the daemon, both killed; viewers have seen records that no disk has.
    private static func twoLives() throws -> LogFixture {
        var fixture = try LogFixture(configuration: configuration)
        fixture.head()
        for _ in 0..<60 { fixture.append() }
        fixture.log.syncAppended()
        try fixture.restart(on: fixture.disk.killed(), configuration)
        fixture.head()
        for _ in 0..<10 { fixture.append() }
        fixture.log.syncAppended()
        for _ in 0..<5 { fixture.append() }
        return fixture
    }

    /// Checks a start that may fail after it used offsets, then one without errors.
    private static func check(
        _ fixture: LogFixture, on disk: SimulatedDisk, promised: UInt64
    ) throws {
        var fixture = fixture
        let kept = fixture.inOrder.filter { $0.header.offset.rawValue < promised }
        var highest = fixture.used.max() ?? RecordOffset(rawValue: 0)
        do {
            let log = try SegmentLog.open(
                disk: disk, configuration: configuration, now: LogFixture.start)
            // Without a segment it gives out no number.
            if log.hasRoom {
                #expect(log.nextOffset > highest)
                highest = log.nextOffset
            }
        } catch {}
        try fixture.restart(on: disk.killed(), configuration)
        #expect(fixture.log.nextOffset > highest)
        fixture.head()
        fixture.log.syncAppended()
        let found = Set(try fixture.contents().records)
        #expect(kept.allSatisfy(found.contains))
        #expect(try fixture.log.reader().verify().damaged.isEmpty)
    }

    @Test(arguments: 0..<16)
    func `A start that dies halfway uses no offset again`(call: Int) throws {
        let fixture = try Self.twoLives()
        let durable = fixture.log.durableEnd.rawValue
        let disk = fixture.disk.killed()
        disk.fail(
            SimulatedDisk.Fault(kind: .inputOutput, call: disk.calls + call, isForEver: true))
        try Self.check(fixture, on: disk, promised: durable)
    }

    @Test(arguments: 0..<16)
    func `A start that cannot read something loses no record and uses no offset again`(
        read: Int
    ) throws {
        let fixture = try Self.twoLives()
        let durable = fixture.log.durableEnd.rawValue
        let disk = fixture.disk.killed()
        disk.state.withLock { $0.readsUntilFault = read }
        try Self.check(fixture, on: disk, promised: durable)
    }

    /// Its numbers began at the header's offset, and viewers may have seen them.
    @Test(arguments: 0..<8)
    func `An empty segment that cannot be read is not taken for one that was being created`(
        read: Int
    ) throws {
        var fixture = try Self.twoLives()
        let durable = fixture.log.durableEnd.rawValue
        try fixture.restart(on: fixture.disk.killed(), Self.configuration)
        for _ in 0..<20 { fixture.append() }
        let synced = fixture.disk.withoutUnsynced()
        synced.state.withLock { $0.readsUntilFault = read }
        try Self.check(fixture, on: synced, promised: durable)
    }

    @Test(arguments: [nil] + (0..<12).map(Optional.some))
    func `What is missing of a failed segment that another follows is damage, not a tail`(
        unreadBefore: Int?
    ) throws {
        var fixture = try LogFixture()
        fixture.head()
        for _ in 0..<50 { fixture.append() }
        fixture.log.syncAppended()
        let bytes = fixture.disk.content(of: "000000000001.segment").count
        fixture.disk.fail(
            SimulatedDisk.Fault(kind: .inputOutput, call: fixture.disk.calls))
        for _ in 0..<20 { fixture.append() }
        fixture.log.syncAppended()
        #expect(fixture.log.segments().count == 2)
        let disk = fixture.disk.killed()
        var content = disk.content(of: "000000000001.segment")
        content[bytes - 20] ^= 1
        disk.replace("000000000001.segment", with: content)
        if let unreadBefore {
            // A start with a read error must not decide anything that it cannot know.
            disk.state.withLock { $0.readsUntilFault = unreadBefore }
            _ = try? SegmentLog.open(
                disk: disk, configuration: Self.configuration, now: LogFixture.start)
        }
        let again = try LogFixture(disk: disk.killed())
        #expect(again.log.recovery.tornTail == nil)
        let read = try again.contents()
        #expect(read.records.count == fixture.inOrder.count - 1)
        #expect(read.gaps.map(\.from) == [LogFixture.end(after: 49)])
        #expect(read.gaps.map(\.to) == [LogFixture.end(after: 50)])
        guard unreadBefore == nil else { return }
        #expect(again.log.recovery.damaged.map(\.reason) == [.record])
    }

    /// A start sees the seal in the page cache, and a power loss removes it.
    @Test(arguments: 0..<16)
    func `A seal that was never synced is made again before the catalog lists it`(
        call: Int
    ) throws {
        let other = SessionID(high: 3, low: 4)
        var fixture = try LogFixture()
        fixture.head()
        fixture.log.syncAppended()
        // Sealing truncates only a segment made from the reserve, and this one got no space.
        fixture.disk.replace("reserve", with: [])
        fixture.disk.state.withLock { $0.isFull = true }
        fixture.head(other)
        fixture.log.flush()
        _ = fixture.log.writeStep()
        fixture.disk.state.withLock { $0.isFull = false }
        for _ in 0..<20 { fixture.append() }
        fixture.log.syncAppended()
        // Everything is durable when its segment is sealed for the erasure.
        fixture.disk.fail(
            SimulatedDisk.Fault(
                kind: .inputOutput, call: fixture.disk.calls + call, isForEver: true))
        _ = try? fixture.log.erase([other])
        fixture.disk.fail(nil)
        fixture.append()
        fixture.log.syncAppended()
        fixture.log.close()

        try fixture.restart(on: fixture.disk.killed(), LogFixture.configuration())
        fixture.log.close()
        try fixture.restart(on: fixture.disk.withoutUnsynced(), LogFixture.configuration())
        #expect(try fixture.log.reader().verify().damaged.isEmpty)
        let kept = fixture.inOrder.filter { $0.header.session != other }
        let found = try fixture.contents().records.filter { $0.header.session != other }
        #expect(found == kept)
    }

    @Test func `Readers are promised nothing that a failed descriptor took`() throws {
        var fixture = try LogFixture()
        fixture.head()
        fixture.log.syncAppended()
        for _ in 0..<20 { fixture.append() }
        fixture.log.flush()
        _ = fixture.log.writeStep()
        #expect(fixture.log.writtenEnd == fixture.log.nextOffset)
        fixture.disk.fail(
            SimulatedDisk.Fault(
                kind: .inputOutput, call: fixture.disk.calls, isForEver: true))
        _ = fixture.log.syncStep()
        #expect(fixture.log.writtenEnd == fixture.log.durableEnd)
        #expect(try fixture.contents().records.count == 1)
    }
}
