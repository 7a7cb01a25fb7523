package import SegmentLog
package import SensorModel
import WireFormat

extension LogReader {
    /// Finds the time at which a session first ended, even if it continued: its end record, or a
    /// silence that ends a session in memory. A session that had left memory, or that a stop of the
    /// daemon cut off, has no end record. Reads the headers of all its records; blocks on the disk.
    ///
    /// - Parameters:
    ///   - summary: Summary of the session.
    ///   - silenceSeconds: Silence after which a session has ended.
    ///   - now: Arrival clock.
    ///   - isCancelled: Called between records; `true` ends the reading, whose result is invalid.
    /// - Returns: A time of the arrival clock; `nil`: it was not over yet.
    /// - Throws: ``SegmentLogError``
    package func firstEnd(
        of summary: SessionSummary, silenceSeconds: Double, now: Timestamp,
        isCancelled: () -> Bool
    ) throws(SegmentLogError) -> Timestamp? {
        var end: Timestamp?
        var newest: Timestamp?
        func silenceEnd(at arrival: Timestamp) -> Timestamp? {
            let over = newest?.advanced(bySeconds: silenceSeconds)
            return over.flatMap { $0 <= arrival ? $0 : nil }
        }
        try read(from: summary.firstOffset, session: summary.session) { header, payload in
            guard !isCancelled() else { return false }
            switch header.type {
            case .frame:
                end = silenceEnd(at: header.arrivalTime)
                newest = max(header.arrivalTime, newest ?? header.arrivalTime)
            case .event:
                if case .ended = try? StreamEventCodec.decode(payload).kind {
                    end = silenceEnd(at: header.arrivalTime) ?? header.arrivalTime
                }
            case .metric, .tick, .snapshot, .session: break
            }
            return end == nil
        }
        return end ?? silenceEnd(at: now)
    }
}
