import SegmentLog
import SensorModel
import Sessions
import Sharing
import Transport

extension ShareReader {
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

    /// One page of what a share shows of a session, oldest first. On a thread of the pool.
    ///
    /// - Parameters:
    ///   - session: In the log.
    ///   - source: The share.
    ///   - after: The last offset the reader has; `nil`: from the session's start.
    ///   - limit: Items at most.
    ///   - inGroup: Items carry the runner's name.
    ///   - ticket: Of the pool.
    /// - Returns: The items; none for a session that is gone.
    /// - Throws: ``SegmentLogError``, ``ReadRefusal/cancelled``
    func page(
        of session: SessionID, _ source: CatchUp.Source, after: RecordOffset?, limit: Int,
        inGroup: Bool, _ ticket: ReadPool.Ticket
    ) throws -> Page {
        guard let records = try records(of: session, by: source.rule, ticket) else {
            return Page()
        }
        let encoder = HistoryEncoder(
            epoch: log.epoch, scope: source.share.scope,
            runnerName: inGroup ? source.share.runnerName : nil)
        let now = clock()
        var page = Page()
        /// Of the page's last item, where that is an update.
        var lastSecond: Timestamp?
        var position = records.position(after: after)
        let ending = try records.read(
            from: &position, arrivedBy: source.share.shownArrivals(at: now), now: now
        ) { shown in
            guard let json = encoder.item(of: shown.event, at: shown.offset) else { return true }
            let item = EncodedEvent(
                cursor: LogCursor(epoch: log.epoch, offset: shown.offset), json: json)
            let isMetrics = if case .metrics = shown.event.kind { true } else { false }
            let second = isMetrics ? shown.event.deviceTime.wholeSecond : nil
            if let second, second == lastSecond {
                // One a second, the newest.
                page.items[page.items.count - 1] = item
                return true
            }
            guard page.items.count < limit else {
                page.more = true
                return false
            }
            page.items.append(item)
            lastSecond = second
            return true
        }
        guard ending != .cancelled else { throw ReadRefusal.cancelled }
        return page
    }

    /// The last heart rates that a share shows of a session. On a thread of the pool.
    ///
    /// - Parameters:
    ///   - session: In the log.
    ///   - source: The share.
    ///   - start: Milliseconds since 1970; what was measured before is left out.
    ///   - limit: Readings at most: the newest.
    ///   - ticket: Of the pool.
    /// - Returns: Oldest first, one a second at most; none for a session that is gone.
    /// - Throws: ``SegmentLogError``, ``ReadRefusal/cancelled``
    func heartRates(
        of session: SessionID, _ source: CatchUp.Source, startAtMilliseconds start: Int64?,
        limit: Int, _ ticket: ReadPool.Ticket
    ) throws -> [HeartRateReading] {
        guard source.share.scope.contains(.heartRate),
            let records = try records(of: session, by: source.rule, ticket),
            let times = catalog.summary(of: session)?.deviceTimes
        else { return [] }
        // From so long before the end as the readings take at one a second; if there are fewer, from
        // twice as long, and so on.
        var seconds = Double(limit) + 60
        while true {
            let from = times.upperBound.advanced(bySeconds: -seconds)
            var readings: [HeartRateReading] = []
            var position = try records.position(at: from)
            let now = clock()
            let ending = try records.read(
                from: &position, arrivedBy: source.share.shownArrivals(at: now), now: now
            ) { shown in
                guard case .metrics(let metrics) = shown.event.kind,
                    let reading = HeartRateReading(metrics, at: shown.event.deviceTime),
                    start.map({ reading.measuredAt.milliseconds >= $0 }) ?? true,
                    reading != readings.last
                else { return true }
                readings.append(reading)
                if readings.count > 2 * limit { readings.removeFirst(limit) }
                return true
            }
            guard ending != .cancelled else { throw ReadRefusal.cancelled }
            let isEnough =
                readings.count >= limit || from <= times.lowerBound
                || start.map { from.milliseconds <= $0 } ?? false
            if isEnough { return readings.suffix(limit) }
            seconds *= 4
        }
    }
}
