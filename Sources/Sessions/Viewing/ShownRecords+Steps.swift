import SegmentLog
import SensorModel
import Sharing
import WireFormat

/// The steps of a reading, which are the same for one session and for several at once.
extension ShownRecords.Position {
    /// Visits what the session's next record shows.
    ///
    /// - Parameters:
    ///   - header: The record.
    ///   - payload: Its payload.
    ///   - arrivedBy: Later arrivals are still held back from the share; `nil`: none are.
    ///   - shown: Memory that is used again.
    ///   - body: Receives each shown event; `false` refuses the event and stops.
    /// - Returns: Why the reading ends; `nil`: it goes on.
    mutating func take(
        _ header: RecordHeader, _ payload: Span<UInt8>, arrivedBy: Timestamp?,
        using shown: inout [ShownEvent], _ body: (ShownEvent) -> Bool
    ) -> ShownRecords.Ending? {
        // A mark must not be read again by the reading that continues here.
        next = RecordOffset(rawValue: header.offset.rawValue + 1)
        header.marks(payload) { projection.note($0) }
        guard header.type == .metric || header.type == .event else { return nil }
        // One unreadable record does not end the reading.
        guard let event = try? StreamEventCodec.decode(payload) else { return nil }
        shown.removeAll(keepingCapacity: true)
        projection.take(event, at: header.offset, arrival: header.arrivalTime, into: &shown)
        found = shown[...]
        return give(arrivedBy: arrivedBy, body)
    }

    /// Visits what the time since the last record shows. Parameters as above.
    mutating func advance(
        to now: Timestamp, arrivedBy: Timestamp?, using shown: inout [ShownEvent],
        _ body: (ShownEvent) -> Bool
    ) -> ShownRecords.Ending? {
        shown.removeAll(keepingCapacity: true)
        projection.advance(to: now, into: &shown)
        found = shown[...]
        return give(arrivedBy: arrivedBy, body)
    }

    /// Visits the events that were found. Parameters as above.
    ///
    /// - Returns: `nil`: all were taken.
    mutating func give(
        arrivedBy: Timestamp?, _ body: (ShownEvent) -> Bool
    ) -> ShownRecords.Ending? {
        while let event = found.first {
            if after.map({ event.offset > $0 }) ?? true {
                if let arrivedBy, event.arrival > arrivedBy { return .complete }
                guard body(event) else { return .stopped }
                after = event.offset
            }
            found.removeFirst()
        }
        return nil
    }
}
