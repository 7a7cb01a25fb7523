import Dispatch
package import Ring
import Synchronization

/// Work for the pipeline that does not come from a device: subscriptions, administration, pages
/// that need the newest state. It is rare compared with frames, so a lock around an array is
/// enough.
package final class PipelineMailbox: Sendable {
    package typealias Work = @Sendable (PipelineCore) -> Void

    private struct Waiting {
        var work: [Work] = []
        var isClosed = false
    }

    private let waiting = Mutex(Waiting())
    private let eventCount: EventCount

    package init(eventCount: EventCount) {
        self.eventCount = eventCount
    }

    package var isEmpty: Bool { waiting.withLock { $0.work.isEmpty } }

    /// Posts work; any thread. After ``close()`` the work is dropped: the pipeline is gone.
    @discardableResult
    package func post(_ work: @escaping Work) -> Bool {
        let accepted = waiting.withLock { waiting in
            guard !waiting.isClosed else { return false }
            waiting.work.append(work)
            return true
        }
        if accepted { eventCount.ring() }
        return accepted
    }

    /// Runs `question` in a turn of the pipeline.
    ///
    /// - Returns: `nil` when the daemon is stopping.
    package func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (PipelineCore) -> Answer
    ) async -> Answer? {
        await withCheckedContinuation { continuation in
            let accepted = post { core in continuation.resume(returning: question(core)) }
            if !accepted { continuation.resume(returning: nil) }
        }
    }

    /// Runs `question` in a turn of the pipeline and blocks until it has run. For threads that may
    /// wait, such as those that read the log. Never called on a loop or within a turn.
    ///
    /// - Returns: `nil` when the daemon is stopping.
    package func answer<Answer: Sendable>(
        to question: @escaping @Sendable (PipelineCore) -> Answer
    ) -> Answer? {
        let box = AnswerBox<Answer>()
        let answered = DispatchSemaphore(value: 0)
        let accepted = post { core in
            let found = question(core)
            box.value.withLock { $0 = found }
            answered.signal()
        }
        guard accepted else { return nil }
        answered.wait()
        return box.value.withLock { $0 }
    }

    /// Runs all posted work; only within the pipeline's turns.
    func runAll(on core: PipelineCore) -> Int {
        let work = waiting.withLock { waiting in
            let work = waiting.work
            waiting.work.removeAll(keepingCapacity: true)
            return work
        }
        for task in work { task(core) }
        return work.count
    }

    /// Runs earlier work and refuses later work; called after the last turn.
    package func close(on core: PipelineCore) {
        waiting.withLock { $0.isClosed = true }
        _ = runAll(on: core)
    }
}

private final class AnswerBox<Answer: Sendable>: Sendable {
    let value = Mutex<Answer?>(nil)
}
