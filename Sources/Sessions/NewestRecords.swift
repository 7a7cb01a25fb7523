import SegmentLog
import SensorModel

/// The newest record of each device that a viewer can have seen.
///
/// A viewer's cursor is always of a record of the device it watches: so one of another share's, or
/// of what was deleted, can be told from it when it comes back.
struct NewestRecords {
    private var offsets: [DeviceID: RecordOffset] = [:]
    /// Viewers may have seen records up to here that a crash has taken; there is none at it.
    private var lost = RecordOffset(rawValue: 0)

    /// - Parameters:
    ///   - known: Sessions of before this start.
    ///   - end: As ``SegmentLog/lostEnd`` has it.
    mutating func restore(_ known: [SessionSummary], lost end: RecordOffset?) {
        for session in known { note(session.lastOffset, of: session.device) }
        if let end { lost = end }
    }

    mutating func note(_ offset: RecordOffset, of device: DeviceID) {
        offsets[device] = max(offset, offsets[device] ?? offset)
    }

    /// - Parameters:
    ///   - device: Any.
    ///   - cursor: Any of the log's.
    /// - Returns: With offset 0 of a device that has no record.
    func cursor(of device: DeviceID, like cursor: LogCursor) -> LogCursor {
        LogCursor(epoch: cursor.epoch, offset: max(lost, offsets[device] ?? lost))
    }
}
