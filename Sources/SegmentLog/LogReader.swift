public import SensorModel

/// Reads records by offset or by session, beside a running writer or without one.
public struct LogReader: Sendable {
    init() {}

    /// Reads the log of a folder that a daemon may be writing; nothing is changed.
    ///
    /// - Throws: ``SegmentLogError``
    public init(disk: any Disk) throws(SegmentLogError) {}

    /// Visits records in order, as far as the log is written.
    ///
    /// - Parameters:
    ///   - from: The first offset wanted.
    ///   - until: The first offset not wanted; `nil`: all that is written.
    ///   - session: Only records of this one; `nil`: all.
    ///   - gap: Told of offsets in between that are deleted or damaged.
    ///   - record: Gets each record, its payload valid during the call; `false` stops.
    /// - Returns: The offset to go on from.
    /// - Throws: ``SegmentLogError``
    @discardableResult
    public func read(
        from: RecordOffset, until: RecordOffset? = nil, session: SessionID? = nil,
        gap: (LogGap) -> Void = { _ in },
        record: (RecordHeader, Span<UInt8>) -> Bool
    ) throws(SegmentLogError) -> RecordOffset {
        from
    }

    /// Where to begin reading to meet everything of `session` from `deviceTime` on.
    ///
    /// - Returns: The newest record of `session` that matches `type` (by name, a frame's kind
    ///   aside) and is not after `deviceTime`; `nil` where there is none.
    /// - Throws: ``SegmentLogError``
    public func newest(
        _ type: RecordType, of session: SessionID, notAfter deviceTime: Timestamp
    ) throws(SegmentLogError) -> RecordOffset? {
        nil
    }

    public func sessions() -> [SessionSummary] { [] }

    public func segments() -> [SegmentSummary] { [] }

    /// Checks every checksum and every chain.
    ///
    /// - Parameter progress: Bytes done and bytes in all, about once a megabyte.
    /// - Returns: Counts and findings; damage is a finding, not an error.
    /// - Throws: ``SegmentLogError``
    public func verify(
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(SegmentLogError) -> LogVerification {
        LogVerification()
    }
}
