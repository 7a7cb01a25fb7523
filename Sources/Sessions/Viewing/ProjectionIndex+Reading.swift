package import SegmentLog
import SensorModel
package import Sharing
import WireFormat

extension ProjectionIndex {
    /// Makes the index of a session that is not in memory: one pass over it. Blocks on the disk.
    ///
    /// - Returns: `nil` when it was cancelled.
    /// - Throws: ``SegmentLogError``
    package static func reading(
        _ summary: SessionSummary, rule: ProjectionRule, reader: LogReader,
        isCancelled: () -> Bool = { false }
    ) throws(SegmentLogError) -> ProjectionIndex? {
        var index = ProjectionIndex()
        var projection = SessionProjection(rule)
        var shown: [ShownEvent] = []
        var isOver = false
        try reader.read(from: summary.firstOffset, session: summary.session) { header, payload in
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
