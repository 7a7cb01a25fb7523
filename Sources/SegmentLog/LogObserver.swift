public import SensorModel

/// Who is told what the log's threads have done. Called on those threads, without a lock of the log's
/// but for ``stateChanged``; what takes long holds up the next commit.
public struct LogObserver: Sendable {
    /// The first offset that may not be acknowledged yet has moved here, or is farther by now.
    public var durableAdvanced: @Sendable (RecordOffset) -> Void
    /// The log has failed, or writes again.
    public var stateChanged: @Sendable (LogState) -> Void
    /// A sync has succeeded and took so long.
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
