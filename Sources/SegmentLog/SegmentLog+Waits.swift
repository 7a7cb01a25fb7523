public import SensorModel
import Synchronization

/// Waits for records without polling.
///
/// No wait flushes: a record without a flush stays in memory until its buffer is full.
extension SegmentLog {
    /// Maximum number of simultaneous waits; a further one gets ``LogWait/refused``.
    public static let waitersMax = 16_384

    /// Calls `body` once readers can see a record.
    ///
    /// `body` is called exactly once unless ``cancel(_:)`` comes first. If there is nothing to wait
    /// for, it is called before this returns, else on a thread of the log. That thread holds no
    /// lock of the log, so `body` may use the log. But the next commit waits for it, so it must be
    /// short, and it must neither sync nor close the log. Without ``start()`` the thread is the
    /// one that syncs or closes the log.
    ///
    /// - Parameters:
    ///   - offset: The record's offset.
    ///   - policy: What to do while the disk has failed.
    ///   - body: Receives the outcome.
    /// - Returns: A token for ``cancel(_:)``.
    @discardableResult
    public func whenWritten(
        through offset: RecordOffset, onFailure policy: LogFailurePolicy,
        _ body: @escaping @Sendable (LogWait) -> Void
    ) -> LogWaitToken {
        wait(.written, through: offset, policy, body)
    }

    /// Cancels a wait.
    ///
    /// - Returns: Whether it was still waiting; its body will then never be called. `false` means
    ///   that the body has been called, or is being called.
    @discardableResult
    public func cancel(_ token: LogWaitToken) -> Bool {
        publishing.withLock { $0.cancel(token) }
    }

    /// Suspends until readers can see a record, or the task is cancelled.
    public func waitUntilWritten(
        through offset: RecordOffset, onFailure policy: LogFailurePolicy
    ) async -> LogWait {
        await wait(.written, through: offset, policy)
    }

    /// Suspends until a record may be acknowledged, or the task is cancelled.
    public func waitUntilDurable(
        through offset: RecordOffset, onFailure policy: LogFailurePolicy
    ) async -> LogWait {
        await wait(.durable, through: offset, policy)
    }

    @discardableResult
    func wait(
        _ goal: LogWaiters.Goal, through offset: RecordOffset, _ policy: LogFailurePolicy,
        _ body: @escaping LogWaiters.Body
    ) -> LogWaitToken {
        // Under this lock the publisher finds this wait, or this call finds its new progress.
        let (token, outcome) = publishing.withLock { waiters in
            waiters.add(goal, through: offset.rawValue, policy, at: progress, body)
        }
        if let outcome { body(outcome) }
        return token
    }

    private func wait(
        _ goal: LogWaiters.Goal, through offset: RecordOffset, _ policy: LogFailurePolicy
    ) async -> LogWait {
        let task = WaitingTask()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard task.hold(continuation) else { return }
                let token = wait(goal, through: offset, policy) { task.end($0) }
                if !task.note(token) { cancel(token) }
            }
        } onCancel: {
            if let token = task.end(.cancelled) { cancel(token) }
        }
    }

    /// The published progress and the state. Requires the lock `publishing`.
    private var progress: LogWaiters.Progress {
        LogWaiters.Progress(
            writtenEnd: published.writtenEnd.load(ordering: .relaxed),
            durableEnd: published.durableEnd.load(ordering: .relaxed), state: state)
    }

    /// Takes out ended waits after the progress has changed. Requires the lock `publishing`.
    func takeEnded(_ waiters: inout LogWaiters) -> [LogWaiters.Ended] {
        waiters.isEmpty ? [] : waiters.takeEnded(at: progress)
    }

    /// Calls the bodies. Must be called without a lock.
    func tell(_ ended: [LogWaiters.Ended]) {
        var batch = ended
        while !batch.isEmpty {
            for wait in batch { wait.body(wait.outcome) }
            guard batch.count >= LogWaiters.batchMax else { return }
            batch = publishing.withLock { takeEnded(&$0) }
        }
    }
}

/// A suspended task. It is resumed once, by the log or by its own cancellation.
private final class WaitingTask: Sendable {
    private struct State {
        var continuation: CheckedContinuation<LogWait, Never>?
        var token: LogWaitToken?
        var outcome: LogWait?
    }

    private let state = Mutex(State())

    /// - Returns: Whether it waits; else it was resumed.
    func hold(_ continuation: CheckedContinuation<LogWait, Never>) -> Bool {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
        return outcome == nil
    }

    /// - Returns: Whether it still waits.
    func note(_ token: LogWaitToken) -> Bool {
        state.withLock { state in
            state.token = token
            return state.outcome == nil
        }
    }

    /// Ends the wait. The first outcome counts.
    ///
    /// - Returns: The token that must be cancelled, if any.
    @discardableResult
    func end(_ outcome: LogWait) -> LogWaitToken? {
        let (continuation, token) = state.withLock { state in
            guard state.outcome == nil else {
                return (nil as CheckedContinuation<LogWait, Never>?, nil as LogWaitToken?)
            }
            state.outcome = outcome
            defer { state.continuation = nil }
            return (state.continuation, state.token)
        }
        continuation?.resume(returning: outcome)
        return token
    }
}
