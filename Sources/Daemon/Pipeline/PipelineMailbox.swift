import Dispatch
import Ring
import Synchronization

/// Work for the pipeline that does not come from a device: subscriptions, administration,
/// pages that want the newest state. Rare beside frames, so a lock around an array will do.
final class PipelineMailbox: Sendable {
    typealias Work = @Sendable (PipelineCore) -> Void

    private struct Waiting {
        var work: [Work] = []
        var isClosed = false
    }

    private let waiting = Mutex(Waiting())
    private let doorbell: Doorbell

    init(doorbell: Doorbell) {
        self.doorbell = doorbell
    }

    var isEmpty: Bool { waiting.withLock { $0.work.isEmpty } }

    /// Any thread. After ``close()`` the work is dropped: the pipeline is gone.
    @discardableResult
    func post(_ work: @escaping Work) -> Bool {
        let accepted = waiting.withLock { waiting in
            guard !waiting.isClosed else { return false }
            waiting.work.append(work)
            return true
        }
        if accepted { doorbell.ring() }
        return accepted
    }

    /// Runs `question` in a turn of the pipeline.
    ///
    /// - Returns: `nil` when the daemon is stopping.
    func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (PipelineCore) -> Answer
    ) async -> Answer? {
        await withCheckedContinuation { continuation in
            let accepted = post { core in continuation.resume(returning: question(core)) }
            if !accepted { continuation.resume(returning: nil) }
        }
    }

    /// Runs `question` in a turn of the pipeline and waits for it. Not on a loop, nor in a turn: for
    /// threads that may wait, as those that read the log.
    ///
    /// - Returns: `nil` when the daemon is stopping.
    func answer<Answer: Sendable>(
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

    /// In the pipeline's turns only.
    func runAll(on core: PipelineCore) -> Int {
        let work = waiting.withLock { waiting in
            let work = waiting.work
            waiting.work.removeAll(keepingCapacity: true)
            return work
        }
        for task in work { task(core) }
        return work.count
    }

    /// After its last turn: runs what came before and refuses what comes after.
    func close(on core: PipelineCore) {
        waiting.withLock { $0.isClosed = true }
        _ = runAll(on: core)
    }
}

private final class AnswerBox<Answer: Sendable>: Sendable {
    let value = Mutex<Answer?>(nil)
}
