public import SensorModel
import Synchronization

/// Waiting for a record without asking again and again.
///
/// None of these flushes: what nobody flushes stays in memory until its buffer is full.
extension SegmentLog {
    /// Waits at a time; of a further one ``LogWait/refused`` is said.
    public static let waitersMax = 16_384

    /// Calls `body` once readers can see a record.
    ///
    /// It is called exactly once unless ``cancel(_:)`` comes first: before this returns where there
    /// is nothing to wait for, else on a thread of the log's. That thread holds no lock of the
    /// log's, so `body` may use the log; but the next commit waits for it, so it must be short, and
    /// it must neither settle nor close the log. Without ``start()`` the thread is the one that
    /// settles or closes it.
    ///
    /// - Parameters:
    ///   - offset: The record's.
    ///   - policy: What a failed disk means.
    ///   - body: Gets the outcome.
    /// - Returns: For ``cancel(_:)``.
    @discardableResult
    public func whenWritten(
        through offset: RecordOffset, onFailure policy: LogFailurePolicy,
        _ body: @escaping @Sendable (LogWait) -> Void
    ) -> LogWaitToken {
        wait(.written, through: offset, policy, body)
    }

    /// Calls `body` once a record may be acknowledged; in all else as
    /// ``whenWritten(through:onFailure:_:)``.
    @discardableResult
    public func whenDurable(
        through offset: RecordOffset, onFailure policy: LogFailurePolicy,
        _ body: @escaping @Sendable (LogWait) -> Void
    ) -> LogWaitToken {
        wait(.durable, through: offset, policy, body)
    }

    /// - Returns: Whether it was still waiting: its body will never be called. `false`: the body
    ///   has been called, or is being called.
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

    private func wait(
        _ goal: LogWaiters.Goal, through offset: RecordOffset, _ policy: LogFailurePolicy,
        _ body: @escaping LogWaiters.Body
    ) -> LogWaitToken {
        // The lock of who publishes: either it finds this wait, or this finds what it published.
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

    /// What has been published, and the state. Under the lock `publishing`.
    private var progress: LogWaiters.Progress {
        LogWaiters.Progress(
            writtenEnd: published.writtenEnd.load(ordering: .relaxed),
            durableEnd: published.durableEnd.load(ordering: .relaxed), state: state)
    }

    /// Under the lock `publishing`, after what is published has moved.
    func takeEnded(_ waiters: inout LogWaiters) -> [LogWaiters.Ended] {
        waiters.isEmpty ? [] : waiters.takeEnded(at: progress)
    }

    /// Without a lock.
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

    /// - Returns: Whether it is to wait; else it was resumed.
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

    /// The first outcome counts.
    ///
    /// - Returns: What is left to be cancelled.
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
