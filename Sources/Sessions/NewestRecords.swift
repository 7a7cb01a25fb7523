import SegmentLog
import SensorModel

/// The newest record of each device that a viewer may have seen.
///
/// A viewer's cursor always refers to a record of the device it watches. So a cursor of another
/// share, or of deleted history, can be recognized when the viewer reconnects.
struct NewestRecords {
    private var offsets: [DeviceID: RecordOffset] = [:]
    /// The last offset that a crash lost: viewers may have seen records up to here, and no record
    /// has this offset.
    private var lost = RecordOffset(rawValue: 0)

    /// - Parameters:
    ///   - known: Sessions from before this start.
    ///   - end: ``SegmentLog/lostEnd``.
    mutating func restore(_ known: [SessionSummary], lost end: RecordOffset?) {
        for session in known { note(session.lastOffset, of: session.session, by: session.device) }
        if let end { lost = end }
    }

    /// Notes a record, unless it is imported: no viewer has its cursor, or may learn when that was.
    mutating func note(_ offset: RecordOffset, of session: SessionID, by device: DeviceID) {
        guard !session.isImported else { return }
        offsets[device] = max(offset, offsets[device] ?? offset)
    }

    /// - Parameters:
    ///   - device: Any device.
    ///   - cursor: Any cursor of the log.
    /// - Returns: A cursor at the device's newest record, or at the last lost offset if later;
    ///   offset 0 if there is neither.
    func cursor(of device: DeviceID, like cursor: LogCursor) -> LogCursor {
        LogCursor(epoch: cursor.epoch, offset: max(lost, offsets[device] ?? lost))
    }
}
