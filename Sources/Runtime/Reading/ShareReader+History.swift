import SegmentLog
package import SensorModel
package import Sessions
package import Sharing
package import Transport

extension ShareReader {
    package struct Page: Sendable {
        package var items: [EncodedEvent] = []
        /// Whether there are more items after the last one.
        package var more = false

        package init(items: [EncodedEvent] = [], more: Bool = false) {
            self.items = items
            self.more = more
        }

        /// Merges several runners' pages in the order of cursors. Items after the end of a page
        /// that has more are left to the next page.
        package static func merged(_ pages: [Page], limit: Int) -> Page {
            let end = pages.filter(\.more).compactMap { $0.items.last?.cursor }.min()
            let items = pages.flatMap(\.items).sorted { $0.cursor < $1.cursor }
                .filter { item in end.map { item.cursor <= $0 } ?? true }
            return Page(
                items: Array(items.prefix(limit)), more: end != nil || items.count > limit)
        }
    }

    /// One page of the events of a source's sessions, oldest first. Runs on a thread of the pool.
    ///
    /// A session that begins after the end of a full page is not read: otherwise each page would
    /// read all later sessions.
    ///
    /// - Parameters: As for a page of one session.
    /// - Throws: ``SegmentLogError``, ``ReadRefusal/cancelled``
    package func page(
        of source: CatchUp.Source, after: RecordOffset?, limit: Int, inGroup: Bool,
        _ ticket: ReadPool.Ticket
    ) throws -> Page {
        var pages: [Page] = []
        var end: RecordOffset?
        for session in source.sessions {
            if let end, let first = catalog.summary(of: session)?.firstOffset, first > end {
                continue
            }
            let page = try page(
                of: session, source, after: after, limit: limit, inGroup: inGroup, ticket)
            if page.more, let last = page.items.last?.cursor.offset {
                end = min(last, end ?? last)
            }
            pages.append(page)
        }
        return Page.merged(pages, limit: limit)
    }

    /// One page of a session's events as a share shows them, oldest first. Runs on a thread of the
    /// pool.
    ///
    /// - Parameters:
    ///   - session: Session in the log.
    ///   - source: Share and its rule.
    ///   - after: The last offset the reader has; `nil`: from the session's start.
    ///   - limit: Maximum number of items.
    ///   - inGroup: Whether items carry the runner's name.
    ///   - ticket: Ticket of the pool.
    /// - Returns: The items; none for a session that is gone.
    /// - Throws: ``SegmentLogError``, ``ReadRefusal/cancelled``
    package func page(
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
        /// Second of the page's last item, if that is an update.
        var lastSecond: Timestamp?
        var position = records.position(after: after)
        let ending = try records.read(
            from: &position, arrivedBy: source.shownArrivals(at: now), now: now
        ) { shown in
            let event = shown.seen(in: source.share.scope)
            guard let json = encoder.item(of: event, at: shown.offset) else { return true }
            let item = EncodedEvent(
                cursor: LogCursor(epoch: log.epoch, offset: shown.offset), json: json)
            let isMetrics = if case .metrics = event.kind { true } else { false }
            let second = isMetrics ? event.deviceTime.wholeSecond : nil
            if let second, second == lastSecond {
                // One update a second: the newest replaces the others.
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

    /// The last heart rates of a session as a share shows them. Runs on a thread of the pool.
    ///
    /// - Parameters:
    ///   - session: Session in the log.
    ///   - source: Share and its rule.
    ///   - start: Milliseconds since 1970; earlier readings are omitted.
    ///   - limit: Maximum number of readings; the newest are kept.
    ///   - ticket: Ticket of the pool.
    /// - Returns: Oldest first, at most one a second; none for a session that is gone.
    /// - Throws: ``SegmentLogError``, ``ReadRefusal/cancelled``
    package func heartRates(
        of session: SessionID, _ source: CatchUp.Source, startAtMilliseconds start: Int64?,
        limit: Int, _ ticket: ReadPool.Ticket
    ) throws -> [HeartRateReading] {
        guard source.share.scope.contains(.heartRate),
            let records = try records(of: session, by: source.rule, ticket),
            let summary = catalog.summary(of: session)
        else { return [] }
        let now = clock()
        let arrivedBy = source.shownArrivals(at: now)
        guard let (times, last) = records.shown(of: summary, arrivedBy: arrivedBy) else {
            return []
        }
        // The read starts as far before the end as `limit` readings take at one a second. If there
        // are fewer, the distance is quadrupled, and so on.
        var seconds = Double(limit) + 60
        while true {
            let from = times.upperBound.advanced(bySeconds: -seconds)
            var found = FoundReadings(from: start, limit: limit)
            var position = try records.position(at: from)
            let ending = try records.read(
                from: &position, through: last, arrivedBy: arrivedBy, now: now
            ) { shown in
                // Splits are left out whatever the scope, because a reading has none.
                found.take(shown.seen(in: .heartRate))
                return true
            }
            guard ending != .cancelled else { throw ReadRefusal.cancelled }
            let isEnough =
                found.readings.count >= limit || from <= times.lowerBound
                || start.map { from.milliseconds <= $0 } ?? false
            if isEnough {
                if source.rule == .everything, from <= times.lowerBound {
                    HeartRateReading.startFirst(of: &found.readings)
                }
                return found.readings.suffix(limit)
            }
            seconds *= 4
        }
    }
}

/// Heart rates of a session's events, the newest kept.
private struct FoundReadings {
    var readings: [HeartRateReading] = []
    /// The reading before the next one; `nil`: the next one holds from its own time.
    private var earlier: HeartRateReading?
    private let start: Int64?
    private let limit: Int

    /// - Parameters:
    ///   - start: Milliseconds since 1970; earlier readings are omitted.
    ///   - limit: Readings that are kept at least.
    init(from start: Int64?, limit: Int) {
        self.start = start
        self.limit = limit
    }

    mutating func take(_ event: StreamEvent) {
        guard case .metrics(let metrics) = event.kind else { return }
        earlier = HeartRateReading(metrics, at: event.deviceTime)?.following(earlier)
        guard let reading = earlier, reading != readings.last,
            start.map({ reading.measuredAt.milliseconds >= $0 }) ?? true
        else { return }
        readings.append(reading)
        if readings.count > 2 * limit { readings.removeFirst(limit) }
    }
}
