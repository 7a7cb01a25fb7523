import FaultyDisk
import SensorModel
import Synchronization
import Testing

@testable import SegmentLog

/// Notification that a record is written or durable.
@Suite struct LogWaitTests {
    enum Goal: CaseIterable {
        case written, durable
    }

    /// The outcomes of waits, in order of notification.
    final class Told: Sendable {
        private let entries = Mutex<[(wait: Int, outcome: LogWait)]>([])

        var outcomes: [LogWait] { entries.withLock { $0.map(\.outcome) } }
        var waits: [Int] { entries.withLock { $0.map(\.wait) } }

        func add(_ wait: Int, _ outcome: LogWait) {
            entries.withLock { $0.append((wait, outcome)) }
        }
    }

    @discardableResult
    static func register(
        _ goal: Goal, _ log: SegmentLog, _ sequence: Int, policy: LogFailurePolicy = .report,
        wait: Int = 0, _ told: Told
    ) -> LogWaitToken {
        let offset = LogFixture.offset(sequence)
        return switch goal {
        case .written:
            log.whenWritten(through: offset, onFailure: policy) { told.add(wait, $0) }
        case .durable:
            log.wait(.durable, through: offset, policy) { told.add(wait, $0) }
        }
    }

    private static func failing(_ fixture: LogFixture) {
        fixture.disk.fail(
            SimulatedDisk.Fault(
                kind: .inputOutput, call: fixture.disk.calls, isForEver: true))
    }

    private static var error: (LogWait) -> Bool {
        { if case .failed(let error) = $0 { error.number == 5 } else { false } }
    }

    @Test(arguments: Goal.allCases)
    func `A record that is there already is told at once, one to come when it is there`(
        goal: Goal
    ) throws {
        var fixture = try LogFixture()
        let told = Told()
        fixture.head()
        Self.register(goal, fixture.log, 0, told)
        Self.register(goal, fixture.log, 1, wait: 1, told)
        #expect(told.outcomes.isEmpty)
        fixture.log.syncAppended()
        #expect(told.waits == [0])
        Self.register(goal, fixture.log, 0, wait: 2, told)
        #expect(told.waits == [0, 2])
        fixture.append()
        fixture.log.syncAppended()
        #expect(told.waits == [0, 2, 1])
        #expect(told.outcomes == [.reached, .reached, .reached])
    }

    @Test func `A record is written before it is durable`() throws {
        var fixture = try LogFixture()
        let told = Told()
        fixture.head()
        Self.register(.durable, fixture.log, 0, wait: 1, told)
        Self.register(.written, fixture.log, 0, wait: 2, told)
        fixture.log.flush()
        #expect(fixture.log.writeStep() == .worked)
        #expect(told.waits == [2])
        #expect(fixture.log.syncStep() == .worked)
        #expect(told.waits == [2, 1])
    }

    @Test(arguments: Goal.allCases)
    func `A failure is told at once to a wait that asks for it; others outlast it`(
        goal: Goal
    ) throws {
        var fixture = try LogFixture()
        let told = Told()
        fixture.head()
        Self.register(goal, fixture.log, 0, policy: .report, wait: 1, told)
        Self.register(goal, fixture.log, 0, policy: .keepWaiting, wait: 2, told)
        Self.failing(fixture)
        fixture.log.syncAppended()
        #expect(told.waits == [1])
        Self.register(goal, fixture.log, 0, policy: .report, wait: 3, told)
        Self.register(goal, fixture.log, 0, policy: .keepWaiting, wait: 4, told)
        #expect(told.waits == [1, 3])
        #expect(told.outcomes.allSatisfy(Self.error))
        fixture.disk.fail(nil)
        fixture.log.syncAppended()
        #expect(told.waits == [1, 3, 2, 4])
        #expect(told.outcomes.suffix(2) == [.reached, .reached])
    }

    /// The record was in the page cache, and readable, until its sync failed.
    @Test func `A record that was written is awaited anew once its sync has failed`() throws {
        var fixture = try LogFixture()
        let told = Told()
        fixture.head()
        fixture.log.flush()
        _ = fixture.log.writeStep()
        Self.register(.written, fixture.log, 0, wait: 1, told)
        Self.failing(fixture)
        _ = fixture.log.syncStep()
        Self.register(.written, fixture.log, 0, policy: .keepWaiting, wait: 2, told)
        #expect(told.waits == [1])
        fixture.disk.fail(nil)
        fixture.log.syncAppended()
        #expect(told.waits == [1, 2])
    }

    @Test(arguments: Goal.allCases)
    func `A cancelled wait is never told, and a token cancels once`(goal: Goal) throws {
        var fixture = try LogFixture()
        let told = Told()
        let token = Self.register(goal, fixture.log, 0, told)
        let other = Self.register(goal, fixture.log, 0, wait: 1, told)
        #expect(fixture.log.cancel(token))
        #expect(!fixture.log.cancel(token))
        fixture.head()
        fixture.log.syncAppended()
        #expect(told.waits == [1])
        #expect(!fixture.log.cancel(other))
        #expect(!fixture.log.cancel(Self.register(goal, fixture.log, 0, wait: 2, told)))
    }

    @Test(arguments: Goal.allCases, [false, true])
    func `Closing tells the records that got there, and the end to all other waits`(
        goal: Goal, hasFailed: Bool
    ) throws {
        var fixture = try LogFixture()
        let told = Told()
        fixture.head()
        if hasFailed {
            Self.failing(fixture)
            fixture.log.syncAppended()
        }
        Self.register(goal, fixture.log, 0, policy: .keepWaiting, wait: 1, told)
        Self.register(goal, fixture.log, 1, policy: .keepWaiting, wait: 2, told)
        fixture.log.close()
        #expect(told.waits == [1, 2])
        #expect(told.outcomes == (hasFailed ? [.closed, .closed] : [.reached, .closed]))
        Self.register(goal, fixture.log, 1, policy: .keepWaiting, wait: 3, told)
        #expect(told.outcomes.last == .closed && told.waits.last == 3)
    }

    @Test func `Without syncs a record counts as durable once it is written`() throws {
        var fixture = try LogFixture(configuration: LogFixture.configuration(durability: .os))
        let told = Told()
        Self.register(.durable, fixture.log, 0, told)
        fixture.head()
        fixture.log.flush()
        _ = fixture.log.writeStep()
        #expect(told.outcomes == [.reached])
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `Thousands of waits are told once each, the lowest offset first`(seed: UInt64) throws {
        var fixture = try LogFixture()
        var dice = SplitMix(state: seed)
        let told = Told()
        let records = 400
        let offsets = (0..<10_000).map { _ in dice.below(records + 100) }
        var tokens: [LogWaitToken] = []
        for (wait, offset) in offsets.enumerated() {
            tokens.append(
                Self.register(.durable, fixture.log, offset, wait: wait, told))
        }
        var cancelled: Set<Int> = []
        for wait in offsets.indices where dice.happens(percent: 70) {
            #expect(fixture.log.cancel(tokens[wait]))
            cancelled.insert(wait)
        }
        fixture.head()
        for number in 1..<records {
            fixture.append()
            if number.isMultiple(of: 50) { fixture.log.syncAppended() }
        }
        fixture.log.syncAppended()
        let expected = offsets.indices.filter { !cancelled.contains($0) && offsets[$0] < records }
            .sorted { (offsets[$0], $0) < (offsets[$1], $1) }
        #expect(told.waits == expected)
        fixture.log.close()
        #expect(told.waits.count == offsets.count - cancelled.count)
        #expect(Set(told.waits).count == told.waits.count)
        #expect(told.outcomes.dropFirst(expected.count).allSatisfy { $0 == .closed })
    }

    @Test func `So many may wait and no more, and each that ends makes room`() throws {
        var fixture = try LogFixture()
        let told = Told()
        var tokens: [LogWaitToken] = []
        for _ in 0..<SegmentLog.waitersMax {
            tokens.append(Self.register(.written, fixture.log, 0, told))
        }
        #expect(told.outcomes.isEmpty)
        Self.register(.written, fixture.log, 0, wait: 1, told)
        #expect(told.outcomes == [.refused])
        #expect(fixture.log.cancel(tokens[7]))
        Self.register(.written, fixture.log, 0, wait: 2, told)
        #expect(told.outcomes == [.refused])
        fixture.head()
        fixture.log.syncAppended()
        #expect(told.waits.count == 1 + SegmentLog.waitersMax)
        #expect(told.waits.last == 2)
    }

    /// No lock is held during a notification, so its receiver can use the log.
    @Test func `Who is told may append, ask and wait again`() throws {
        var fixture = try LogFixture()
        let told = Told()
        let log = fixture.log
        fixture.head()
        log.wait(.durable, through: RecordOffset(rawValue: 0), .report) { outcome in
            told.add(0, outcome)
            let time = LogFixture.start
            let payload: [UInt8] = [1]
            let next = log.append(
                .frame(.motion), session: LogFixture.runner, device: LogFixture.device,
                sequence: .none, deviceTime: time,
                arrivalTime: time, payload: payload.span)
            #expect(log.state == .writing)
            guard let next else { return }
            log.wait(.durable, through: next, .report) { told.add(1, $0) }
            log.flush()
        }
        log.syncAppended()
        log.syncAppended()
        #expect(told.waits == [0, 1])
        #expect(told.outcomes == [.reached, .reached])
    }
}
