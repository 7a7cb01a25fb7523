import Dispatch
import Ring
import Synchronization

/// Questions to the pipeline, for callers that wait for its answer.
extension PipelineMailbox {
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
}

private final class AnswerBox<Answer: Sendable>: Sendable {
    let value = Mutex<Answer?>(nil)
}
