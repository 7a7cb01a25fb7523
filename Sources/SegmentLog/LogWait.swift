/// Outcome of a wait for a record.
public enum LogWait: Hashable, Sendable {
    /// The record has become written or durable, as requested.
    case reached
    /// The disk has failed, and the caller requested ``LogFailurePolicy/report``.
    case failed(DiskError)
    /// ``SegmentLog/waitersMax`` waits are registered already; this one was not.
    case refused
    /// The log was closed first: the record will not be written in this run.
    case closed
    /// The waiting task was cancelled. Only the async forms return this.
    case cancelled
}

/// Behavior of a wait while the log has failed.
public enum LogFailurePolicy: Hashable, Sendable {
    /// The wait ends with ``LogWait/failed(_:)``, at once if the log has failed already.
    case report
    /// The wait continues. The segment that takes over contains every record that was not durable,
    /// with the same offset, so the wait may still succeed.
    case keepWaiting
}

/// Identifies one wait, so that it can be cancelled.
public struct LogWaitToken: Hashable, Sendable {
    /// A wait that ended when it began.
    static let ended = LogWaitToken(number: 0)

    let number: UInt64
}
