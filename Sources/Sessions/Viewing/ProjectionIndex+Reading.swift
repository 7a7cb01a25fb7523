package import SegmentLog
package import SensorModel
package import Sharing
import WireFormat

extension ProjectionIndex {
    /// Reads the session from the index's last checkpoint on. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - summary: Summary of the session.
    ///   - rule: Rule of the share.
    ///   - known: Index of that session and rule from an earlier pass; `nil`: there was none.
    ///   - reader: Reader of the log.
    ///   - now: Arrival clock.
    ///   - isCancelled: Called between records; `true` ends the reading.
    /// - Returns: `nil` if it was cancelled.
    /// - Throws: ``SegmentLogError``
    package static func reading(
        _ summary: SessionSummary, rule: ProjectionRule, extending known: ProjectionIndex? = nil,
        reader: LogReader, now: Timestamp, isCancelled: () -> Bool = { false }
    ) throws(SegmentLogError) -> ProjectionIndex? {
        guard !isCancelled() else { return nil }
        var index = known.flatMap { $0.isAhead(of: now) ? nil : $0 } ?? ProjectionIndex()
        let last = index.extend(to: summary.records)
        var projection = last?.projection ?? SessionProjection(rule)
        projection.use(index.verdicts, extends: true)
        var shown: [ShownEvent] = []
        var isOver = false
        try reader.read(
            from: last?.next ?? summary.firstOffset, session: summary.session
        ) { header, payload in
            guard !isCancelled() else {
                isOver = true
                return false
            }
            guard header.type == .metric || header.type == .event,
                let event = try? StreamEventCodec.decode(payload)
            else { return true }
            shown.removeAll(keepingCapacity: true)
            projection.take(event, at: header.offset, arrival: header.arrivalTime, into: &shown)
            index.note(projection, after: header.offset, deviceTime: event.deviceTime)
            return true
        }
        guard !isOver else { return nil }
        index.end(projection, at: now)
        return index
    }
}
