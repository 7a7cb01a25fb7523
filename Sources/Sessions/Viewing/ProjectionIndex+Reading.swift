package import SegmentLog
import SensorModel
package import Sharing
import WireFormat

extension ProjectionIndex {
    /// Reads the session from the index's last checkpoint on. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - summary: Of the session.
    ///   - rule: Of the share.
    ///   - known: Of that session and rule, from an earlier pass; `nil`: there was none.
    ///   - reader: Of the log.
    ///   - isCancelled: Asked between records; `true` ends the reading.
    /// - Returns: `nil` when it was cancelled.
    /// - Throws: ``SegmentLogError``
    package static func reading(
        _ summary: SessionSummary, rule: ProjectionRule, extending known: ProjectionIndex? = nil,
        reader: LogReader, isCancelled: () -> Bool = { false }
    ) throws(SegmentLogError) -> ProjectionIndex? {
        guard !isCancelled() else { return nil }
        var index = known ?? ProjectionIndex()
        let last = index.extend(to: summary.records)
        var projection = last?.projection ?? SessionProjection(rule)
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
        return isOver ? nil : index
    }
}
