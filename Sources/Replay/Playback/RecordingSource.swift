package import SegmentLog
package import SensorModel
package import Sessions
package import Sharing

/// One runner's recording as a source of updates, like a live session: a snapshot at a moment, then
/// the updates after it, each with the device time at which it is due. It blocks on the disk.
package struct RecordingSource: Sendable {
    /// An update and the device time of its record.
    package struct Timed: Sendable {
        package let deviceTime: Timestamp
        package let update: SessionUpdate
    }

    private let records: ShownRecords
    private let scope: Scope
    private var fields: SessionFields
    private var position: ShownRecords.Position

    /// Begins playback at a moment.
    ///
    /// - Parameters:
    ///   - records: The session's records, filtered by the share's rule.
    ///   - scope: Scope of the share.
    ///   - time: Device time; a time before the first shown event means that event.
    ///   - arrivedBy: Later arrivals are still held back from the share; `nil`: none are.
    ///   - now: Time of the arrival clock.
    /// - Returns: The source and the updates shown at that moment; `nil` if there are none.
    /// - Throws: ``SegmentLogError``
    package static func begin(
        _ records: ShownRecords, in scope: Scope, at time: Timestamp, arrivedBy: Timestamp?,
        now: Timestamp
    ) throws(SegmentLogError) -> (source: RecordingSource, everything: SessionUpdate)? {
        guard let start = try records.fields(at: time, arrivedBy: arrivedBy, now: now) else {
            return nil
        }
        let source = RecordingSource(
            records: records, scope: scope, fields: start.fields, position: start.position)
        return (source, start.fields.everything)
    }

    private init(
        records: ShownRecords, scope: Scope, fields: SessionFields,
        position: ShownRecords.Position
    ) {
        self.records = records
        self.scope = scope
        self.fields = fields
        self.position = position
    }

    /// - Parameters:
    ///   - limit: Maximum number of updates to return.
    ///   - arrivedBy: Later arrivals are still held back from the share; `nil`: none are.
    ///   - now: Time of the arrival clock.
    /// - Returns: The next updates; none at the end, or while no new one may be shown yet.
    /// - Throws: ``SegmentLogError``
    package mutating func next(
        _ limit: Int, arrivedBy: Timestamp?, now: Timestamp
    ) throws(SegmentLogError) -> [Timed] {
        var updates: [Timed] = []
        let scope = scope
        try records.read(from: &position, arrivedBy: arrivedBy, now: now) { shown in
            guard updates.count < limit else { return false }
            updates.append(
                Timed(
                    deviceTime: shown.event.deviceTime,
                    update: fields.take(shown.seen(in: scope), at: shown.offset)))
            return true
        }
        return updates
    }
}
