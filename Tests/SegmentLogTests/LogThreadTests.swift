import FaultyDisk
import Glibc
import SegmentLog
import SensorModel
import Synchronization
import Testing

/// The two threads of the log with each other and with appending threads.
@Suite struct LogThreadTests {
    @Test(arguments: [false, true])
    func `While one thread writes, the other neither overtakes it nor takes over`(
        fails: Bool
    ) throws {
        var fixture = try LogFixture()
        fixture.head()
        fixture.log.flush()
        let log = fixture.log
        let others = Mutex<[Bool]>([])
        fixture.disk.state.withLock {
            $0.duringWrite = {
                // The next actions of the writing and the syncing thread.
                let steps = [log.writeStep(), log.commitStep()]
                others.withLock { $0 = steps.map { if case .idle = $0 { true } else { false } } }
            }
        }
        if fails {
            fixture.disk.fail(
                SimulatedDisk.Fault(
                    kind: .inputOutput, call: fixture.disk.calls, isForEver: false))
        }
        fixture.append()
        #expect(log.commitStep() == .worked)
        #expect(others.withLock { $0 } == [true, true])
        log.syncAppended()
        #expect(log.durableEnd == LogFixture.end(after: 1))
        #expect(try fixture.contents().records == fixture.inOrder)
    }

    private static let other = SessionID(high: 5, low: 0x8000_0000_0000_0006)

    /// Each sync finds another record of this or another session, so the log never becomes idle.
    @Test(.timeLimit(.minutes(1)), arguments: [LogFixture.runner, other])
    func `A session is erased while frames go on coming`(sending: SessionID) throws {
        var fixture = try LogFixture()
        let other = Self.other
        fixture.head()
        fixture.head(other)
        fixture.append(of: other)
        let (log, disk) = (fixture.log, fixture.disk)
        let sender = Sender(log: log, disk: disk, session: sending)
        sender.sendWithEachSync()
        try log.start()
        log.flush()
        let erasure = try log.erase([other])
        #expect(erasure.records >= 2)
        #expect(sender.sent > 0)
        disk.state.withLock { $0.duringSync = nil }
        #expect(fixture.append(of: other) != nil)
        log.close()
        let first = try LogReader(disk: disk).summary(of: other)?.firstOffset.rawValue
        #expect(try #require(first) > 2)
    }

    private final class Sender: Sendable {
        private let log: SegmentLog
        private let disk: SimulatedDisk
        private let session: SessionID
        private let count = Atomic<UInt32>(0)

        init(log: SegmentLog, disk: SimulatedDisk, session: SessionID) {
            self.log = log
            self.disk = disk
            self.session = session
        }

        var sent: UInt32 { count.load(ordering: .relaxed) }

        func sendWithEachSync() {
            disk.state.withLock { $0.duringSync = { self.send() } }
        }

        private func send() {
            let number = count.wrappingAdd(1, ordering: .relaxed).newValue
            let payload = LogFixture.payload(number)
            _ = log.append(
                .frame(.motion), session: session, device: LogFixture.device,
                sequence: FrameSequence(rawValue: number),
                deviceTime: LogFixture.start, arrivalTime: LogFixture.start,
                payload: payload.span)
            sendWithEachSync()
        }
    }

    /// The pipeline flushes while frames come; attempts follow after 0.1, 0.2 … 5 s.
    @Test func `A disk that fails is not tried with every flush`() throws {
        var fixture = try LogFixture()
        fixture.head()
        fixture.log.syncAppended()
        fixture.disk.fail(
            SimulatedDisk.Fault(kind: .full, call: fixture.disk.calls, isForEver: true))
        try fixture.log.start()
        for _ in 0..<300 {
            fixture.append()
            fixture.log.flush()
            usleep(1000)
        }
        #expect(fixture.acknowledged.failures.load(ordering: .relaxed) == 1)
        // An attempt is a few calls.
        let calls = fixture.disk.calls
        #expect(calls < 100)
        fixture.disk.fail(nil)
        while fixture.log.state != .writing { usleep(1000) }
        fixture.log.syncAppended()
        #expect(try fixture.contents().records == fixture.inOrder)
        fixture.log.close()
    }
}
