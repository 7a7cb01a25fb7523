import Foundation
import Ring
import SegmentLog
import SensorModel
import Synchronization
import Transport

/// The thread that takes the pipeline's turns (``PipelineTurns``) and sleeps until there is work.
/// Event loops and the log's threads take some turns in between.
final class PipelineThread: Sendable {
    private let parts: PipelineParts
    private let turns: PipelineTurns
    private let clock: @Sendable () -> Timestamp
    private let isStopping = Atomic<Bool>(false)
    private let finished = DispatchSemaphore(value: 0)

    init(
        _ parts: PipelineParts, turns: PipelineTurns, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.parts = parts
        self.turns = turns
        self.clock = clock
    }

    /// - Parameter prepare: Work that runs before the first turn.
    func start(_ prepare: @escaping PipelineMailbox.Work) {
        let thread = Thread { [self] in run(prepare) }
        thread.name = "pipeline"
        thread.stackSize = 4 << 20
        thread.start()
    }

    /// Processes the contents of the rings and returns when the thread has ended.
    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        turns.eventCount.ring()
        finished.wait()
    }

    private func run(_ prepare: PipelineMailbox.Work) {
        turns.begin(parts, prepare)
        while true {
            let turn = turns.take()
            let isLast = isStopping.load(ordering: .sequentiallyConsistent)
            if turn.done == 0, isLast { break }
            if turn.isCut || isLast { continue }
            if turn.done == 0 {
                sleep(after: turn)
            } else if turn.isGathering {
                usleep(FramePace.gatherMicroseconds)
            }
        }
        turns.end()
        finished.signal()
    }

    private func sleep(after turn: PipelineTurns.Outcome) {
        let wait = turn.deadline.map { Int(max(0, $0.microseconds - clock().microseconds)) }
        parts.counters.isAsleep.store(true, ordering: .relaxed)
        _ = turns.eventCount.sleep(timeoutMicroseconds: wait) {
            isStopping.load(ordering: .sequentiallyConsistent) || !parts.mailbox.isEmpty
                || turn.acknowledged.map { parts.log.durableEnd > $0 } ?? false
                || turns.isDue(before: turn.deadline)
                || parts.log.hasRoom && parts.links.contains { !$0.inbound.isEmpty }
        }
        parts.counters.isAsleep.store(false, ordering: .relaxed)
    }
}
