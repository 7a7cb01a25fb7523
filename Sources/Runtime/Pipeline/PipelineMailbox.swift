import Dispatch
package import Ring
package import SensorModel
import Synchronization

/// Work for the pipeline that does not come from a device: subscriptions, administration, pages
/// that need the newest state. It is rare compared with frames, so a lock around an array is
/// enough.
///
/// Work for viewers and readers has a separate queue, of which a turn does a bounded part: one
/// group's link can cause a thousand openings a second of 50 views each.
package final class PipelineMailbox: Sendable {
    package typealias Work = @Sendable (PipelineCore) -> Void

    private struct Waiting {
        var work: [Work] = []
        var viewing = ViewingQueue()
        var isClosed = false

        mutating func takeWork() -> [Work] {
            defer { work.removeAll(keepingCapacity: true) }
            return work
        }
    }

    private let waiting = Mutex(Waiting())
    private let eventCount: EventCount

    package init(eventCount: EventCount) {
        self.eventCount = eventCount
    }

    package var isEmpty: Bool { waiting.withLock { $0.work.isEmpty && $0.viewing.isEmpty } }

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

    // MARK: For viewers and readers

    /// Posts work for a viewer; any thread. Work from a later ``post(_:)`` may run before it.
    ///
    /// - Parameters:
    ///   - subscriber: Viewer that this work opens: see ``dropOpening(of:)``.
    ///   - work: Runs in a turn.
    /// - Returns: `false`: the pipeline is gone.
    @discardableResult
    package func postForViewer(
        _ subscriber: SubscriberID? = nil, _ work: @escaping Work
    ) -> Bool {
        let number = addForViewer(subscriber, work)
        if number != nil { eventCount.ring() }
        return number != nil
    }

    /// - Returns: `nil`: the pipeline is gone.
    private func addForViewer(_ subscriber: SubscriberID?, _ work: @escaping Work) -> UInt64? {
        waiting.withLock { waiting in
            waiting.isClosed ? nil : waiting.viewing.add(work, of: subscriber)
        }
    }

    /// Posts work that must run after a viewer's opening, if the opening still waits.
    package func postAfterOpening(of subscriber: SubscriberID, _ work: @escaping Work) -> Bool {
        waiting.withLock { $0.viewing.add(work, after: subscriber) }
    }

    /// Drops a viewer's opening that still waits.
    ///
    /// - Returns: `false`: it has run, or runs now.
    package func dropOpening(of subscriber: SubscriberID) -> Bool {
        waiting.withLock { $0.viewing.remove(of: subscriber) }
    }

    /// Same as ``ask(_:)``, for readers, whose questions share a bounded part of each turn. The
    /// question is dropped when the task is cancelled.
    ///
    /// - Returns: `nil` when the task is cancelled, or the daemon is stopping.
    package func askForReader<Answer: Sendable>(
        _ question: @escaping @Sendable (PipelineCore) -> Answer
    ) async -> Answer? {
        let place = Mutex<(number: UInt64, continuation: CheckedContinuation<Answer?, Never>)?>(nil)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Answer?, Never>) in
                guard !Task.isCancelled else { return continuation.resume(returning: nil) }
                let number = addForViewer(nil) { core in
                    continuation.resume(returning: question(core))
                }
                guard let number else { return continuation.resume(returning: nil) }
                place.withLock { $0 = (number, continuation) }
                eventCount.ring()
            }
        } onCancel: {
            guard let (number, continuation) = place.withLock({ $0 }),
                waiting.withLock({ $0.viewing.remove(number) })
            else { return }
            continuation.resume(returning: nil)
        }
    }

    /// Same as ``askForReader(_:)``, for callers that cannot continue without an answer.
    ///
    /// - Returns: The answer.
    /// - Throws: ``ReadRefusal/cancelled`` when the task is cancelled or the daemon is stopping.
    package func answerForReader<Answer: Sendable>(
        _ question: @escaping @Sendable (PipelineCore) -> Answer
    ) async throws(ReadRefusal) -> Answer {
        guard let answer = await askForReader(question) else { throw .cancelled }
        return answer
    }

    // MARK: For all others

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

    /// Runs `question` in a turn of the pipeline and blocks until it has run. Only for threads that
    /// may block, such as those that read the log; never on a loop or within a turn.
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

    /// Runs posted work, then work for viewers while there is time; only within a turn.
    ///
    /// Work posted in the meantime precedes the next viewer, so that no viewer is shown what an
    /// owner has just hidden.
    ///
    /// - Parameters:
    ///   - core: The pipeline's state.
    ///   - hasTime: Called after each piece of work for a viewer.
    /// - Returns: Pieces of work that ran.
    func run(on core: PipelineCore, while hasTime: () -> Bool) -> Int {
        var done = run(on: core) { $0.takeWork() }
        repeat {
            let ran = run(on: core) { waiting in
                waiting.work.isEmpty ? waiting.viewing.takeFirst() ?? [] : waiting.takeWork()
            }
            guard ran > 0 else { break }
            done += ran
        } while hasTime()
        return done
    }

    private func run(on core: PipelineCore, _ take: (inout Waiting) -> [Work]) -> Int {
        let work = waiting.withLock { take(&$0) }
        for task in work { task(core) }
        return work.count
    }

    /// Runs earlier work and refuses later work; called after the last turn.
    package func close(on core: PipelineCore) {
        waiting.withLock { $0.isClosed = true }
        _ = run(on: core, while: { true })
    }
}

private final class AnswerBox<Answer: Sendable>: Sendable {
    let value = Mutex<Answer?>(nil)
}
