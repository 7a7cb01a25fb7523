import Logging
import Replay
import SegmentLog
import SensorModel
import Sharing
import Transport
import WireFormat

/// What a share may see of a recorded session, read from the log. Blocks on the disk.
struct HistoryReader: Sendable {
    struct Page: Sendable {
        var items: [EncodedEvent] = []
        /// There are more after the last item.
        var more = false

        /// Several runners' pages as one, in the order of cursors: what lies beyond the end of a
        /// page that has more comes with the next.
        static func merged(_ pages: [Page], limit: Int) -> Page {
            let end = pages.filter(\.more).compactMap { $0.items.last?.cursor }.min()
            let items = pages.flatMap(\.items).sorted { $0.cursor < $1.cursor }
                .filter { item in end.map { item.cursor <= $0 } ?? true }
            return Page(
                items: Array(items.prefix(limit)), more: end != nil || items.count > limit)
        }
    }

    let log: SegmentLog
    let logger: Logger

    /// Whether a viewer of these shares can have come by the cursor; else it is another share's, or
    /// of deleted history.
    func isCursor(_ cursor: LogCursor, of shares: [Share]) -> Bool {
        guard log.isKnown(cursor) else { return false }
        log.waitUntilWritten(through: cursor.offset)
        do {
            return try log.reader().isPlace(
                cursor.offset, inHistoryOf: Set(shares.compactMap(\.device)))
        } catch {
            logger.error("a cursor cannot be looked up: \(error)")
            return true
        }
    }

    /// One page of a session's metrics and events, oldest first.
    ///
    /// - Parameters:
    ///   - session: In the log.
    ///   - view: Of the share.
    ///   - after: The last offset the reader has; `nil`: from the session's start.
    ///   - arrivedBy: What came later is still held back from the share; `nil`: nothing is.
    ///   - limit: Items at most.
    ///   - fromStart: What is shown of an event depends on the ones before the page.
    /// - Returns: The items; none for a session that is gone.
    func page(
        of session: SessionID, as view: HistoryView, after: RecordOffset?,
        arrivedBy: Timestamp?, limit: Int, fromStart: Bool
    ) -> Page {
        var view = view
        var page = Page()
        /// Of the page's last item, where that is an update.
        var lastSecond: Timestamp?
        guard let summary = log.summary(of: session) else { return page }
        let first = summary.firstOffset
        let start = fromStart ? first : after.map { max($0, first) } ?? first
        do {
            try log.reader().read(from: start, session: session) { header, payload in
                if let arrivedBy, header.arrivalTime > arrivedBy { return false }
                guard Self.isEvent(header.type),
                    let event = decode(payload, at: header.offset),
                    let item = view.item(of: event, at: header.offset),
                    after.map({ header.offset > $0 }) ?? true
                else { return true }
                let cursor = LogCursor(epoch: log.epoch, offset: header.offset)
                let encoded = EncodedEvent(cursor: cursor, json: item)
                let second = header.type == .metric ? event.deviceTime.wholeSecond : nil
                if let second, second == lastSecond {
                    // One a second, the newest.
                    page.items[page.items.count - 1] = encoded
                    return true
                }
                guard page.items.count < limit else {
                    page.more = true
                    return false
                }
                page.items.append(encoded)
                lastSecond = second
                return true
            }
        } catch {
            logger.error("history cannot be read: \(error)")
        }
        return page
    }

    /// The discrete events of a session after a cursor: what a viewer that comes back has missed.
    ///
    /// - Parameters:
    ///   - session: In the log.
    ///   - view: Of the share.
    ///   - after: The viewer's cursor.
    ///   - end: The last offset its snapshot contains.
    /// - Returns: Encoded, in the order of cursors.
    func events(
        of session: SessionID, as view: HistoryView, after: RecordOffset, through end: RecordOffset
    ) -> [EncodedEvent] {
        var view = view
        var events: [EncodedEvent] = []
        let until = RecordOffset(rawValue: end.rawValue + 1)
        do {
            try log.reader().read(from: after, until: until, session: session) {
                header, payload in
                guard header.type == .event, header.offset > after,
                    let event = decode(payload, at: header.offset),
                    let item = view.item(of: event, at: header.offset)
                else { return true }
                events.append(
                    EncodedEvent(
                        cursor: LogCursor(epoch: log.epoch, offset: header.offset), json: item))
                return true
            }
        } catch {
            logger.error("missed events cannot be read: \(error)")
        }
        return events
    }

    private func decode(_ payload: Span<UInt8>, at offset: RecordOffset) -> StreamEvent? {
        do {
            return try StreamEventCodec.decode(payload)
        } catch {
            logger.error("record \(offset.rawValue) cannot be read: \(error)")
            return nil
        }
    }

    private static func isEvent(_ type: RecordType) -> Bool {
        type == .metric || type == .event
    }
}
