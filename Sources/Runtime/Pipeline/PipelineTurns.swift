import Dispatch
import Ring
import SegmentLog
import SensorModel
import Synchronization
import Transport

/// Runs the pipeline's turns: work helping over one mutex.
///
/// The mutex guards the pipeline's state. Only the pipeline thread blocks on it. Event loops and
/// the log's threads try it; when it is taken, they wake the pipeline thread. One turn is:
///
///     due work → posted work → 2 ms of viewers' work → drain rings → acks → hand over
///
/// Posted work always runs before frames that were read after it, so that a new privacy zone hides
/// the next frame. Work for viewers and readers runs after all other posted work, in a bounded part
/// of each turn. A viewer's snapshot holds everything that came before it.
///
/// The event loop that read a lone frame processes it, and the log's thread that made it durable
/// sends its ack. Waking the pipeline thread, and being woken for the result, costs more than the
/// frame. Work that may take longer stays with the pipeline thread: due work, posted work, a
/// backlog, a log without room.
///
/// When frames arrive fast, loops and the pipeline thread pause after a turn, so that several
/// gather: see ``FramePace``.
final class PipelineTurns: Sendable {
    /// Result of a turn, for the pipeline thread.
    struct Outcome {
        /// Records and pieces of posted work processed.
        var done = 0
        var isGathering = false
        /// Whether the turn stopped at a limit, so that the rings may hold more.
        var isCut = false
        /// Latest time of the next turn; `nil`: only new work causes one.
        var deadline: Timestamp?
        /// The log's durable end if all acks up to it are sent; `nil`: some acks are due later, at
        /// the deadline.
        var acknowledged: RecordOffset?
    }

    /// Kind of thread that takes a turn in place of the pipeline thread.
    private enum Taker {
        case loop, log
    }

    private struct State {
        let core: PipelineCore
        var pace = FramePace()
    }

    /// Records read from each ring in one turn.
    static let batchMax = 512
    /// Records read from each ring in a turn of another thread, which also serves sockets or syncs.
    private static let betweenBatchMax = 32
    /// Records read from one ring before the next ring is read.
    private static let sliceMax = 32
    /// Log records after which a slice ends; one frame after a hole causes hundreds.
    private static let sliceRecordsMax: UInt64 = 128
    /// Time after which a turn reads no further slice. A record that begins a session costs as much
    /// as a hundred others, and acks wait for the turn's end.
    private static let readingMicrosecondsMax: Int64 = 2000
    /// Time after which a turn begins no further work for viewers and readers; the snapshots of a
    /// group of 50 take half of it.
    private static let viewingMicrosecondsMax: Int64 = 2000

    let eventCount: EventCount
    private let clock: @Sendable () -> Timestamp
    private let state = Mutex<State?>(nil)
    /// Time of the next deadline in microseconds; the pipeline thread sleeps at most until then.
    private let deadline = Atomic<Int64>(.max)

    init(eventCount: EventCount, clock: @escaping @Sendable () -> Timestamp) {
        self.eventCount = eventCount
        self.clock = clock
    }

    /// Creates the state; turns are possible from here on.
    func begin(_ parts: PipelineParts, _ prepare: PipelineMailbox.Work) {
        state.withLock { state in
            let core = PipelineCore(parts, now: clock())
            prepare(core)
            state = State(core: core)
        }
    }

    /// Runs the remaining posted work and refuses later work; called after the last turn.
    func end() {
        state.withLock { state in
            guard let core = state?.core else { return }
            core.parts.mailbox.close(on: core)
            core.flush()
            state = nil
        }
    }

    /// Takes a whole turn, on the pipeline thread.
    func take() -> Outcome {
        state.withLock { state in
            guard let core = state?.core else { return Outcome() }
            let begin = DispatchTime.now().uptimeNanoseconds
            defer { count(core, since: begin) }
            core.advance(to: clock())
            let isInTime = timer(microseconds: Self.viewingMicrosecondsMax)
            var outcome = Outcome(done: core.parts.mailbox.run(on: core, while: isInTime))
            drain(core, limit: Self.batchMax, &outcome)
            finish(core, &outcome, &state)
            return outcome
        }
    }

    /// Takes a turn for frames that were read. Called on the event loop that read them, outside of
    /// its handlers.
    ///
    /// - Returns: Microseconds for which the loop should pause, so that it wakes less often and
    ///   reads more frames at a time.
    func framesCame() -> UInt32 {
        let isGathering = takeOrRing(.loop)?.isGathering ?? false
        return isGathering ? FramePace.gatherMicroseconds : 0
    }

    /// Takes a turn for records that can be acknowledged. Called on a thread of the log that holds
    /// no lock.
    func becameDurable() {
        _ = takeOrRing(.log)
    }

    /// Takes a turn for the opening of a viewer, which was just posted and is brief. Called on the
    /// event loop of the viewer, which has nothing else to do for it.
    ///
    /// - Returns: `false` when the pipeline thread has work to do.
    func viewerCame() -> Bool {
        state.withLockIfAvailable { takeForViewer(&$0) } ?? false
    }

    private func takeForViewer(_ state: inout State?) -> Bool {
        let before = deadline.load(ordering: .relaxed)
        let now = clock()
        guard let core = state?.core, before > now.microseconds, core.hasRoomForLoops,
            let work = core.parts.mailbox.takeOnlyViewing()
        else { return false }
        let begin = DispatchTime.now().uptimeNanoseconds
        defer { count(core, since: begin) }
        core.advance(to: now)
        for task in work { task(core) }
        var outcome = Outcome(done: 1)
        finish(core, &outcome, &state)
        core.counters.loopTurns.add(1, ordering: .relaxed)
        return !isDue(before: Timestamp(microseconds: before))
    }

    private func takeOrRing(_ taker: Taker) -> Outcome? {
        let outcome = state.withLockIfAvailable { takeBetween(&$0, taker) } ?? nil
        if outcome == nil { eventCount.ring() }
        return outcome
    }

    /// Takes a turn in place of the pipeline thread.
    ///
    /// - Returns: `nil` when the pipeline thread has to do work.
    private func takeBetween(_ state: inout State?, _ taker: Taker) -> Outcome? {
        let before = deadline.load(ordering: .relaxed)
        let now = clock()
        guard let core = state?.core, before > now.microseconds, core.hasRoomForLoops,
            core.parts.mailbox.isEmpty
        else { return nil }
        let begin = DispatchTime.now().uptimeNanoseconds
        defer { count(core, since: begin) }
        // Nothing is due: this only updates the time.
        core.advance(to: now)
        var outcome = Outcome()
        drain(core, limit: Self.betweenBatchMax, &outcome)
        finish(core, &outcome, &state)
        switch taker {
        case .loop: core.counters.loopTurns.add(1, ordering: .relaxed)
        case .log: core.counters.logTurns.add(1, ordering: .relaxed)
        }
        let isRest = core.parts.links.contains { !$0.inbound.isEmpty }
        return isRest || isDue(before: Timestamp(microseconds: before)) ? nil : outcome
    }

    /// Adds a turn to the time that turns have taken.
    private func count(_ core: PipelineCore, since begin: UInt64) {
        core.counters.turnNanoseconds.add(
            DispatchTime.now().uptimeNanoseconds &- begin, ordering: .relaxed)
    }

    private func drain(_ core: PipelineCore, limit: Int, _ outcome: inout Outcome) {
        guard core.log.hasRoom else {
            core.counters.logFull.add(1, ordering: .relaxed)
            return
        }
        let isInTime = timer(microseconds: Self.readingMicrosecondsMax)
        for _ in 0..<(limit / Self.sliceMax) {
            let taken = core.parts.links.reduce(0) { $0 + drainSlice(of: $1.inbound, core) }
            outcome.done += taken
            guard taken > 0, core.log.hasRoom else { return }
            guard isInTime() else { break }
        }
        outcome.isCut = true
    }

    /// - Returns: A check whether less time has passed since this call; `false` after a clock step.
    private func timer(microseconds: Int64) -> () -> Bool {
        let start = clock().microseconds
        return { [clock] in (0..<microseconds).contains(clock().microseconds - start) }
    }

    /// Reads a slice; ends early after frames that cause many records, to check time and room
    /// again.
    private func drainSlice(of ring: ByteRing, _ core: PipelineCore) -> Int {
        let first = core.log.nextOffset.rawValue
        var taken = 0
        while taken < Self.sliceMax, core.log.nextOffset.rawValue &- first < Self.sliceRecordsMax,
            ring.drain(limit: 1, { core.receive($0) }) == 1
        {
            taken += 1
        }
        return taken
    }

    private func finish(_ core: PipelineCore, _ outcome: inout Outcome, _ state: inout State?) {
        core.noteUnread()
        core.acknowledge()
        core.flush()
        core.counters.turns.add(1, ordering: .relaxed)
        outcome.isGathering = state?.pace.took(outcome.done, at: core.now) ?? false
        // The order matters: records that become durable in between are seen by one side or the
        // other.
        outcome.acknowledged = core.acknowledgedEnd
        outcome.deadline = core.nextDeadline
        deadline.store(outcome.deadline?.microseconds ?? .max, ordering: .relaxed)
    }

    /// Whether there is a deadline before that of the pipeline thread's last turn, so that it must
    /// not sleep until then.
    func isDue(before deadline: Timestamp?) -> Bool {
        self.deadline.load(ordering: .relaxed) < deadline?.microseconds ?? .max
    }
}
