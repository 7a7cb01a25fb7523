package import SegmentLog
package import SensorModel
package import Sharing

/// One runner's recording as a source of updates, like a live session: a snapshot at a moment, then
/// what follows, each update with the device time at which it is due. Blocks on the disk.
package struct RecordingSource: Sendable {
    /// An update and the device time of its record.
    package struct Timed: Sendable {
        package let deviceTime: Timestamp
        package let update: SessionUpdate
    }

    private let records: ShownRecords
    private var fields: SessionFields
    private var position: ShownRecords.Position

    /// Begins at a moment.
    ///
    /// - Parameters:
    ///   - records: Of the session, by the share's rule.
    ///   - time: Device time; before the first shown event it means that.
    ///   - arrivedBy: What came later is still held back from the share; `nil`: nothing is.
    ///   - now: Arrival clock.
    /// - Returns: The source and everything it shows at that moment; `nil` when there is nothing.
    /// - Throws: ``SegmentLogError``
    package static func begin(
        _ records: ShownRecords, at time: Timestamp, arrivedBy: Timestamp?, now: Timestamp
    ) throws(SegmentLogError) -> (source: RecordingSource, everything: SessionUpdate)? {
        guard let start = try records.fields(at: time, arrivedBy: arrivedBy, now: now) else {
            return nil
        }
        let source = RecordingSource(
            records: records, fields: start.fields, position: start.position)
        return (source, start.fields.everything)
    }

    private init(
        records: ShownRecords, fields: SessionFields, position: ShownRecords.Position
    ) {
        self.records = records
        self.fields = fields
        self.position = position
    }

    /// - Parameters:
    ///   - limit: Updates at most.
    ///   - arrivedBy: What came later is still held back from the share; `nil`: nothing is.
    ///   - now: Arrival clock.
    /// - Returns: What follows; none at the end, or where nothing new may be shown yet.
    /// - Throws: ``SegmentLogError``
    package mutating func next(
        _ limit: Int, arrivedBy: Timestamp?, now: Timestamp
    ) throws(SegmentLogError) -> [Timed] {
        var updates: [Timed] = []
        try records.read(from: &position, arrivedBy: arrivedBy, now: now) { shown in
            guard updates.count < limit else { return false }
            updates.append(
                Timed(
                    deviceTime: shown.event.deviceTime,
                    update: fields.take(shown.event, at: shown.offset)))
            return true
        }
        return updates
    }
}
