package import SegmentLog
package import SensorModel
package import Sharing

/// Decides whether a cursor is valid: whether the viewer's share has shown that record.
///
/// All other cursors get the same answer. So no answer reveals what is not shown yet, what is
/// hidden, or what belongs to another share.
package struct CursorPlace {
    let log: SegmentLog
    let now: Timestamp
    private let sessions: (DeviceID, RecordOffset) -> [SessionSummary]

    /// Events that end a view have offsets of their own, up to this many after a session's last
    /// record.
    package static let endingsMax: UInt64 = 2

    /// - Parameters:
    ///   - log: The log that the cursor refers to.
    ///   - now: Arrival clock.
    ///   - sessions: Returns a device's sessions whose first record is not after an offset, and
    ///     whose last record is at most ``endingsMax`` before it.
    package init(
        log: SegmentLog, now: Timestamp,
        sessions: @escaping (DeviceID, RecordOffset) -> [SessionSummary]
    ) {
        self.log = log
        self.now = now
        self.sessions = sessions
    }

    /// Whether the cursor was shown. Blocks on the disk, which must contain the record if there is
    /// one.
    ///
    /// - Parameters:
    ///   - cursor: A viewer's cursor.
    ///   - sources: The share, or a group's members.
    ///   - records: Records of a session by a rule; `nil` if the session does not exist any more.
    /// - Returns: `false`: answer with a gap.
    /// - Throws: ``SegmentLogError``
    package func isShown(
        _ cursor: LogCursor, by sources: [CatchUp.Source],
        records: (SessionID, ProjectionRule) throws(SegmentLogError) -> ShownRecords?
    ) throws(SegmentLogError) -> Bool {
        guard cursor.epoch == log.epoch else { return false }
        // Offset 0 is before all records: viewers receive it while nothing was shown.
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

    /// Whether the delay permits an offset that is valid by itself: the device's own record if
    /// nothing is hidden, or an offset lost in a crash, which lies between two segments.
    private func isRecorded(
        _ offset: RecordOffset, of source: CatchUp.Source
    ) throws(SegmentLogError) -> Bool {
        let share = source.share
        let arrivedBy = source.shownArrivals(at: now)
        let reader = log.reader()
        guard !reader.isBeforeSegments(offset) else { return false }
        let end = log.nextOffset
        let isAhead = offset >= end
        // For a delayed share, a faster answer would reveal where the log ends, and so whether a
        // device is recording.
        guard !isAhead || arrivedBy != nil else { return false }
        // An empty log ends at 0.
        let place = isAhead ? RecordOffset(rawValue: max(1, end.rawValue) - 1) : offset
        var found: RecordHeader?
        try reader.read(from: place) { header, _ in
            found = header
            return false
        }
        guard !isAhead else { return false }
        guard let found else { return arrivedBy == nil && !reader.isInSegment(offset) }
        guard arrivedBy.map({ found.arrivalTime <= $0 }) ?? true else { return false }
        guard found.offset == offset else { return !reader.isInSegment(offset) }
        guard source.rule == .everything, found.device == share.device else { return false }
        return sessions(found.device, offset).contains {
            $0.session == found.session && source.mayShow($0)
        }
    }

    private func isShown(
        _ offset: RecordOffset, by source: CatchUp.Source,
        records: (SessionID, ProjectionRule) throws(SegmentLogError) -> ShownRecords?
    ) throws(SegmentLogError) -> Bool {
        // Events that end a view have offsets of their own after the last record that was shown.
        guard let device = source.share.device else { return false }
        for summary in sessions(device, offset)
        where source.mayShow(summary) {
            guard let records = try records(summary.session, source.rule) else { continue }
            var position = records.position(after: RecordOffset(rawValue: offset.rawValue - 1))
            var isShown = false
            let ending = try records.read(
                from: &position, arrivedBy: source.shownArrivals(at: now), now: now
            ) { shown in
                isShown = shown.offset == offset
                return false
            }
            if isShown { return true }
            // After a cancellation the answer is not used.
            guard ending != .cancelled else { return false }
        }
        return false
    }
}
