public import SensorModel

/// Callbacks for the work of the log's threads. They run on those threads, without a lock of the
/// log except for ``stateChanged``. A slow callback delays the next commit.
public struct LogObserver: Sendable {
    /// Called with the first offset that may not be acknowledged yet; it may have advanced further
    /// since.
    public var durableAdvanced: @Sendable (RecordOffset) -> Void
    /// Called when the log has failed, or writes again.
    public var stateChanged: @Sendable (LogState) -> Void
    /// Called after a successful sync, with its duration.
    public var synced: @Sendable (_ microseconds: Int) -> Void

    public init(
        durableAdvanced: @escaping @Sendable (RecordOffset) -> Void = { _ in },
        stateChanged: @escaping @Sendable (LogState) -> Void = { _ in },
        synced: @escaping @Sendable (_ microseconds: Int) -> Void = { _ in }
    ) {
        self.durableAdvanced = durableAdvanced
        self.stateChanged = stateChanged
        self.synced = synced
    }
}
