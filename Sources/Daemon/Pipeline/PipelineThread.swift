import Foundation
import Ring
import SegmentLog
import SensorModel
import Synchronization
import Transport

/// The one thread on which frames become records and events.
///
///     drain rings → run posted work → what is due → acks → hand over → sleep until there is more
///
/// Where frames come fast it does not sleep until the next one is there, but for a millisecond: see
/// ``FramePace``.
final class PipelineThread: Sendable {
    /// Records taken from one ring before the next gets its turn.
    private static let batchMax = 512

    private let parts: PipelineParts
    private let clock: @Sendable () -> Timestamp
    private let isStopping = Atomic<Bool>(false)
    private let finished = DispatchSemaphore(value: 0)

    init(_ parts: PipelineParts, clock: @escaping @Sendable () -> Timestamp) {
        self.parts = parts
        self.clock = clock
    }

    /// - Parameter prepare: Runs first, on the pipeline's thread.
    func start(_ prepare: @escaping PipelineMailbox.Work) {
        let thread = Thread { [self] in run(prepare) }
        thread.name = "pipeline"
        thread.stackSize = 4 << 20
        thread.start()
    }

    /// Works off what is in the rings and returns when the thread has ended.
    func stop() {
        isStopping.store(true, ordering: .sequentiallyConsistent)
        parts.doorbell.ring()
        finished.wait()
    }

    private func run(_ prepare: PipelineMailbox.Work) {
        let core = PipelineCore(parts, now: clock())
        prepare(core)
        var pace = FramePace()
        while true {
            let done = turn(core)
            parts.counters.turns.add(1, ordering: .relaxed)
            let isGathering = pace.took(done, at: core.now)
            let isLast = isStopping.load(ordering: .sequentiallyConsistent)
            if done == 0, isLast { break }
            if done >= Self.batchMax || isLast { continue }
            if isGathering {
                usleep(FramePace.gatherMicroseconds)
            } else if done == 0 {
                sleep(core)
            }
        }
        parts.mailbox.close(on: core)
        core.flush()
        finished.signal()
    }

    /// - Returns: How many records and pieces of posted work were done.
    private func turn(_ core: PipelineCore) -> Int {
        core.advance(to: clock())
        var done = 0
        if parts.log.hasRoom {
            for link in parts.links {
                done += link.inbound.drain(limit: Self.batchMax) { core.receive($0) }
            }
        } else {
            parts.counters.logFull.add(1, ordering: .relaxed)
        }
        done += parts.mailbox.runAll(on: core)
        core.acknowledge()
        core.flush()
        return done
    }

    private func sleep(_ core: PipelineCore) {
        let hadDurable = core.hasNewlyDurable
        let wait = core.nextDeadline.map { Int(max(0, $0.microseconds - clock().microseconds)) }
        parts.counters.isAsleep.store(true, ordering: .relaxed)
        _ = parts.doorbell.sleep(timeoutMicroseconds: wait) {
            isStopping.load(ordering: .sequentiallyConsistent) || !parts.mailbox.isEmpty
                || core.hasNewlyDurable && !hadDurable
                || parts.log.hasRoom && parts.links.contains { !$0.inbound.isEmpty }
        }
        parts.counters.isAsleep.store(false, ordering: .relaxed)
    }
}
