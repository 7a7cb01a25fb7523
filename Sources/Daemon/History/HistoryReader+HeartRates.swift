import Logging
import SegmentLog
import SensorModel
import Sharing
import WireFormat

extension HistoryReader {
    /// A part of a session's heart rates.
    struct HeartRates: Sendable {
        /// Oldest first, one a second at most.
        var readings: [HeartRateReading] = []
        /// Where the part after this one begins; `nil`: with the session.
        var next: RecordOffset?
    }

    /// The last heart rates of a session.
    ///
    /// - Parameters:
    ///   - session: In the log.
    ///   - start: Where to begin reading; `nil`: with the session.
    ///   - startAtMilliseconds: Since 1970; what was measured before is left out.
    ///   - arrivedBy: What came later is still held back from the share; `nil`: nothing is.
    ///   - limit: Readings at most: the newest.
    /// - Returns: None for a session that is gone.
    func heartRates(
        of session: SessionID, from start: RecordOffset?, startAtMilliseconds: Int64?,
        arrivedBy: Timestamp?, limit: Int
    ) -> HeartRates {
        var part = HeartRates(next: start)
        guard let first = start ?? log.summary(of: session)?.firstOffset else { return part }
        var heldBack: RecordOffset?
        do {
            let end = try log.reader().read(from: first, session: session) { header, payload in
                if let arrivedBy, header.arrivalTime > arrivedBy {
                    heldBack = header.offset
                    return false
                }
                guard header.type == .metric,
                    let event = try? StreamEventCodec.decode(payload),
                    case .metrics(let metrics) = event.kind,
                    let reading = HeartRateReading(metrics, at: event.deviceTime),
                    startAtMilliseconds.map({ reading.measuredAt.milliseconds >= $0 }) ?? true,
                    reading != part.readings.last
                else { return true }
                part.readings.append(reading)
                if part.readings.count > 2 * limit { part.readings.removeFirst(limit) }
                return true
            }
            part.next = heldBack ?? end
        } catch {
            logger.error("heart rates cannot be read: \(error)")
        }
        part.readings = part.readings.suffix(limit)
        return part
    }
}
