import Ring
import SegmentLog
import SensorModel
import Synchronization
import Transport

/// Takes the pipeline's turns, one at a time, on the thread that is at hand.
///
///     what is due → run posted work → drain rings → acks → hand over
///
/// Posted work is never overtaken by frames that were read after it: a viewer sees what comes after
/// it was let in, and a hidden place is hidden from the next frame on.
///
/// A lone frame is worked off by the event loop that has read it, its ack by the thread of the log that
/// has made it durable: to wake the pipeline's thread, and to be woken by it for what came of the frame, costs
/// more than the frame does. What may take longer stays with the thread: what falls due, posted work,
/// a backlog, a log without room.
///
/// Where frames come fast, loops and the pipeline's thread rest a moment after a turn, so that several
/// gather: see ``FramePace``.
final class PipelineTurns: Sendable {
    /// What a turn leaves to the thread.
    struct Outcome {
        /// Records and pieces of posted work.
        var done = 0
        var isGathering = false
        /// When the next turn must be, whatever comes; `nil`: not before something comes.
        var deadline: Timestamp?
        /// The log's durable end, where acks for all of it are sent; `nil`: some wait for their
        /// time, which is the deadline.
        var acknowledged: RecordOffset?
    }

    /// Who takes a turn between two of the thread's.
    private enum Taker {
        case loop, log
    }

    private struct State {
        let core: PipelineCore
        var pace = FramePace()
    }

    /// Records taken from one ring before the next gets its turn.
    static let batchMax = 512
    /// The same in a turn of another thread, which has sockets to serve or syncs to do.
    private static let betweenBatchMax = 32

    let doorbell: Doorbell
    private let clock: @Sendable () -> Timestamp
    private let state = Mutex<State?>(nil)
    /// Microseconds; the thread sleeps until then at most.
    private let deadline = Atomic<Int64>(.max)

    init(doorbell: Doorbell, clock: @escaping @Sendable () -> Timestamp) {
        self.doorbell = doorbell
        self.clock = clock
    }

    /// From here on turns can be taken.
    func begin(_ parts: PipelineParts, _ prepare: PipelineMailbox.Work) {
        state.withLock { state in
            let core = PipelineCore(parts, now: clock())
            prepare(core)
            state = State(core: core)
        }
    }

    /// After the last turn: runs what was posted, and refuses what comes after.
    func end() {
        state.withLock { state in
            guard let core = state?.core else { return }
            core.parts.mailbox.close(on: core)
            core.flush()
            state = nil
        }
    }

    /// A whole turn, on the pipeline's thread.
    func take() -> Outcome {
        state.withLock { state in
            guard let core = state?.core else { return Outcome() }
            core.advance(to: clock())
            var outcome = Outcome(done: core.parts.mailbox.runAll(on: core))
            outcome.done += drain(core, limit: Self.batchMax)
            finish(core, &outcome, &state)
            return outcome
        }
    }

    /// Frames were read. On the event loop that has read them, not within any handler of it.
    ///
    /// - Returns: Microseconds for which the loop is to rest: it, too, is woken less often, and by
    ///   more frames at a time.
    func framesCame() -> UInt32 {
        let isGathering = takeOrRing(.loop)?.isGathering ?? false
        return isGathering ? FramePace.gatherMicroseconds : 0
    }

    /// Records can be acknowledged. On a thread of the log's that holds no lock.
    func becameDurable() {
        _ = takeOrRing(.log)
    }

    private func takeOrRing(_ taker: Taker) -> Outcome? {
        let outcome = state.withLockIfAvailable { takeBetween(&$0, taker) } ?? nil
        if outcome == nil { doorbell.ring() }
        return outcome
    }

    /// A turn between two of the thread's.
    ///
    /// - Returns: `nil` when there is something for the thread.
    private func takeBetween(_ state: inout State?, _ taker: Taker) -> Outcome? {
        let before = deadline.load(ordering: .relaxed)
        let now = clock()
        guard let core = state?.core, before > now.microseconds, core.hasRoomForLoops,
            core.parts.mailbox.isEmpty
        else { return nil }
        // Nothing is due: it only learns what time it is.
        core.advance(to: now)
        var outcome = Outcome(done: drain(core, limit: Self.betweenBatchMax))
        finish(core, &outcome, &state)
        switch taker {
        case .loop: core.counters.loopTurns.add(1, ordering: .relaxed)
        case .log: core.counters.logTurns.add(1, ordering: .relaxed)
        }
        let isRest = core.parts.links.contains { !$0.inbound.isEmpty }
        return isRest || isDue(before: Timestamp(microseconds: before)) ? nil : outcome
    }

    private func drain(_ core: PipelineCore, limit: Int) -> Int {
        guard core.log.hasRoom else {
            core.counters.logFull.add(1, ordering: .relaxed)
            return 0
        }
        return core.parts.links.reduce(0) { done, link in
            done + link.inbound.drain(limit: limit) { core.receive($0) }
        }
    }

    private func finish(_ core: PipelineCore, _ outcome: inout Outcome, _ state: inout State?) {
        core.acknowledge()
        core.flush()
        core.counters.turns.add(1, ordering: .relaxed)
        outcome.isGathering = state?.pace.took(outcome.done, at: core.now) ?? false
        // In this order: what becomes durable in between is seen by one or the other.
        outcome.acknowledged = core.acknowledgedEnd
        outcome.deadline = core.nextDeadline
        deadline.store(outcome.deadline?.microseconds ?? .max, ordering: .relaxed)
    }

    /// Whether the thread must not sleep until the deadline of its last turn: there is a nearer one.
    func isDue(before deadline: Timestamp?) -> Bool {
        self.deadline.load(ordering: .relaxed) < deadline?.microseconds ?? .max
    }
}
