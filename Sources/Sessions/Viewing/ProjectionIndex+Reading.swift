package import SegmentLog
package import SensorModel
package import Sharing
import WireFormat

extension ProjectionIndex {
    /// Reads the session's records since the last extension. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - summary: Summary of the session.
    ///   - rule: Rule of the share.
    ///   - known: Index of that session and rule from an earlier reading; `nil`: there was none.
    ///   - reader: Reader of the log.
    ///   - now: Arrival clock.
    ///   - isCancelled: Called between records; `true` ends the reading.
    /// - Returns: `nil` if it was cancelled.
    /// - Throws: ``SegmentLogError``
    package static func reading(
        _ summary: SessionSummary, rule: ProjectionRule, extending known: ProjectionIndex? = nil,
        reader: LogReader, now: Timestamp, isCancelled: () -> Bool = { false }
    ) throws(SegmentLogError) -> ProjectionIndex? {
        var index = ProjectionIndex(rule)
        if let known, !known.isBeyond(summary.records) { index = known }
        let isWhole = try index.extend(
            to: summary.records, at: reader.decidable(at: now)
        ) { (from, until, mark, body) throws(SegmentLogError) in
            var isWhole = !isCancelled()
            guard isWhole else { return false }
            try reader.read(
                from: from ?? summary.firstOffset, until: until, session: summary.session,
                gap: { gap in SessionProjection.Mark(gap).map(mark) }
            ) { header, payload in
                isWhole = !isCancelled()
                guard isWhole else { return false }
                header.marks(payload, mark)
                // One unreadable record does not end the reading.
                if header.type == .metric || header.type == .event,
                    let event = try? StreamEventCodec.decode(payload)
                {
                    body((event, header.offset, header.arrivalTime))
                }
                return true
            }
            return isWhole
        }
        return isWhole ? index : nil
    }
}

extension LogReader {
    /// The time up to which time alone may decide what is shown: a record that waits for the disk
    /// may decide otherwise. Must be called before the reading.
    ///
    /// - Parameter now: Arrival clock.
    /// - Returns: `now`, unless a record has waited for longer than the projection allows.
    package func decidable(at now: Timestamp) -> Timestamp {
        guard let since = unreadableSince else { return now }
        return min(now, since.advanced(bySeconds: SessionProjection.lagSecondsMax))
    }
}
