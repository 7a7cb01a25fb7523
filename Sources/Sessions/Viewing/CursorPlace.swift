package import SegmentLog
package import SensorModel
package import Sharing

/// Whether a viewer can have come by a cursor: whether its share has shown just that.
///
/// Any other cursor is answered alike, so that no answer tells what is not shown yet, what is hidden,
/// or what is somebody else's.
package struct CursorPlace {
    let log: SegmentLog
    let now: Timestamp
    private let sessions: (DeviceID, RecordOffset) -> [SessionSummary]

    /// How far behind a session's last record the numbers of what ends a view may be.
    package static let endingsMax: UInt64 = 2

    /// - Parameters:
    ///   - log: Where the cursor points.
    ///   - now: Arrival clock.
    ///   - sessions: A device's sessions with a first record that is not after an offset, and a last
    ///     one at most ``endingsMax`` before it.
    package init(
        log: SegmentLog, now: Timestamp,
        sessions: @escaping (DeviceID, RecordOffset) -> [SessionSummary]
    ) {
        self.log = log
        self.now = now
        self.sessions = sessions
    }

    /// Blocks on the disk, which must have the record if there is one.
    ///
    /// - Parameters:
    ///   - cursor: Of a viewer's.
    ///   - sources: The share, or a group's members.
    ///   - records: Of a session by a rule; `nil` where it is gone.
    /// - Returns: `false`: answer with a gap.
    /// - Throws: ``SegmentLogError``
    package func isShown(
        _ cursor: LogCursor, by sources: [CatchUp.Source],
        records: (SessionID, ProjectionRule) throws(SegmentLogError) -> ShownRecords?
    ) throws(SegmentLogError) -> Bool {
        guard cursor.epoch == log.epoch else { return false }
        // Before all records: what a viewer is given while nothing was shown.
        guard cursor.offset.rawValue > 0 else { return true }
        for source in sources {
            var isShown = try isRecorded(cursor.offset, of: source)
            if !isShown, source.rule != .everything {
                isShown = try self.isShown(cursor.offset, by: source, records: records)
            }
            if isShown { return true }
        }
        return false
    }

    /// An offset that the delay lets through: of the device's own record where nothing is hidden, or
    /// one that a crash has taken, which lies between two segments.
    private func isRecorded(
        _ offset: RecordOffset, of source: CatchUp.Source
    ) throws(SegmentLogError) -> Bool {
        let share = source.share
        guard offset < log.nextOffset else { return false }
        let arrivedBy = share.shownArrivals(at: now)
        let reader = log.reader()
        var found: RecordHeader?
        try reader.read(from: offset) { header, _ in
            found = header
            return false
        }
        guard let found else { return arrivedBy == nil && !reader.isInSegment(offset) }
        guard arrivedBy.map({ found.arrivalTime <= $0 }) ?? true else { return false }
        guard found.offset == offset else { return !reader.isInSegment(offset) }
        return source.rule == .everything && found.device == share.device
    }

    private func isShown(
        _ offset: RecordOffset, by source: CatchUp.Source,
        records: (SessionID, ProjectionRule) throws(SegmentLogError) -> ShownRecords?
    ) throws(SegmentLogError) -> Bool {
        // What ends a view has numbers of its own behind the last record that was shown.
        guard let device = source.share.device else { return false }
        for summary in sessions(device, offset) {
            guard let records = try records(summary.session, source.rule) else { continue }
            var position = records.position(after: RecordOffset(rawValue: offset.rawValue - 1))
            var isShown = false
            let ending = try records.read(
                from: &position, arrivedBy: source.share.shownArrivals(at: now), now: now
            ) { shown in
                isShown = shown.offset == offset
                return false
            }
            if isShown { return true }
            // Nobody waits for the answer any more.
            guard ending != .cancelled else { return false }
        }
        return false
    }
}
