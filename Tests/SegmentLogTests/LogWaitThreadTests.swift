import FaultyDisk
import Glibc
import SensorModel
import Synchronization
import Testing

@testable import SegmentLog

/// Waits with the log's own threads, and waits of tasks.
@Suite struct LogWaitThreadTests {
    /// Counts outcomes, and lets one thread sleep until all are in.
    private final class Tally: Sendable {
        private let outcomes = Mutex<[LogWait: Int]>([:])
        private let wakeup = AutoResetEvent()

        func add(_ outcome: LogWait) {
            outcomes.withLock { $0[outcome, default: 0] += 1 }
            wakeup.wake()
        }

        /// - Returns: The outcomes, once there are `count`.
        func wait(for count: Int) -> [LogWait: Int] {
            while true {
                // The copy leaves the lock only at the end, because ThreadSanitizer does not see
                // that its storage is no longer shared.
                if outcomes.withLock({ $0.values.reduce(0, +) }) >= count {
                    return outcomes.withLock { $0 }
                }
                wakeup.wait()
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `Each of many threads is told of its own records, through failures too`() throws {
        var fixture = try LogFixture()
        fixture.head()
        fixture.log.syncAppended()
        let (log, disk, ledger) = (fixture.log, fixture.disk, fixture.acknowledged)
        try log.start()
        let tally = Tally()
        let early = Atomic(0)
        let (threads, appends) = (4, 500)
        let running = (0..<threads).map { number in
            LogThread {
                for step in 0..<appends {
                    if number == 0, step == 100 {
                        disk.fail(
                            SimulatedDisk.Fault(kind: .inputOutput, call: 0, isForEver: true))
                    }
                    if number == 0, step == 200 {
                        while ledger.failures.load(ordering: .relaxed) == 0 { usleep(1000) }
                        disk.fail(nil)
                    }
                    let time = LogFixture.start
                    let payload = LogFixture.payload(UInt32(step))
                    let offset = log.append(
                        .frame(.motion), session: LogFixture.runner, device: LogFixture.device,
                        sequence: .none,
                        deviceTime: time, arrivalTime: time, payload: payload.span)
                    log.flush()
                    guard let offset else { continue }
                    let token = log.wait(.durable, through: offset, .keepWaiting) {
                        if log.durableEnd <= offset { early.add(1, ordering: .relaxed) }
                        tally.add($0)
                    }
                    log.whenWritten(through: offset, onFailure: .keepWaiting) { tally.add($0) }
                    // One wait in three is cancelled, and the result must be right.
                    if step.isMultiple(of: 3), log.cancel(token) { tally.add(.cancelled) }
                }
            }
        }
        for thread in running { try #require(thread).join() }
        let told = tally.wait(for: 2 * threads * appends)
        #expect(told.values.reduce(0, +) == 2 * threads * appends)
        #expect(Set(told.keys).isSubset(of: [.reached, .cancelled]))
        #expect(early.load(ordering: .relaxed) == 0)
        log.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func `A task is resumed when its record is there`() async throws {
        var fixture = try LogFixture()
        let log = fixture.log
        try log.start()
        let head = fixture.head()
        let offset = try #require(head)
        async let durable = log.waitUntilDurable(through: offset, onFailure: .report)
        async let written = log.waitUntilWritten(through: offset, onFailure: .report)
        log.flush()
        #expect(await durable == .reached)
        #expect(await written == .reached)
        #expect(log.durableEnd > offset)
        log.close()
        let beyond = RecordOffset(rawValue: offset.rawValue + 1)
        #expect(await log.waitUntilWritten(through: beyond, onFailure: .report) == .closed)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func `A cancelled task goes on at once and leaves nothing behind`(
        before: Bool
    ) async throws {
        let fixture = try LogFixture()
        let log = fixture.log
        let task = Task {
            if before { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            return await log.waitUntilDurable(
                through: RecordOffset(rawValue: 0), onFailure: .report)
        }
        if !before {
            while log.publishing.withLock({ $0.isEmpty }) { await Task.yield() }
            task.cancel()
        }
        #expect(await task.value == .cancelled)
        #expect(log.publishing.withLock { $0.isEmpty })
    }

    @Test(.timeLimit(.minutes(1)))
    func `Tasks that are cancelled while records arrive end once each`() async throws {
        var fixture = try LogFixture()
        fixture.head()
        let log = fixture.log
        try log.start()
        for _ in 0..<300 {
            let appended = fixture.append()
            let offset = try #require(appended)
            let task = Task {
                await log.waitUntilDurable(through: offset, onFailure: .report)
            }
            log.flush()
            task.cancel()
            let outcome = await task.value
            #expect(outcome == .reached || outcome == .cancelled)
        }
        log.close()
        #expect(log.publishing.withLock { $0.isEmpty })
    }
}
