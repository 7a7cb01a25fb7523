/// How a wait for a record ended.
public enum LogWait: Hashable, Sendable {
    /// The record is where it was waited for.
    case reached
    /// The disk has failed, and the caller asked for ``LogFailurePolicy/report``.
    case failed(DiskError)
    /// ``SegmentLog/waitersMax`` wait already; nothing was registered.
    case refused
    /// The log was closed first: the record will not get there in this run.
    case closed
    /// The waiting task was cancelled. Only the async forms end like this.
    case cancelled
}

/// What a wait does while the log has failed.
public enum LogFailurePolicy: Hashable, Sendable {
    /// It ends with ``LogWait/failed(_:)``, at once where the log has failed already.
    case report
    /// It goes on. The segment that takes over holds every record that was not durable, under the
    /// same offset, so the record may still get there.
    case keepWaiting
}

/// Names one wait, so that it can be cancelled.
public struct LogWaitToken: Hashable, Sendable {
    /// The wait ended when it began.
    static let ended = LogWaitToken(number: 0)

    let number: UInt64
}
