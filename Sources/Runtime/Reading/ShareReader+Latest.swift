package import SegmentLog
import SensorModel
package import Sessions
package import Sharing

extension ShareReader {
    /// Returns the snapshot of a session that is not in memory, as the last viewer of its share saw
    /// it. The share has no delay. Runs on a thread of the pool.
    ///
    /// No processors run: they would compute each motion sample again, which only a session that
    /// continues needs. If nothing is hidden, reading begins at the last snapshot of the log.
    ///
    /// - Parameters:
    ///   - source: Share, rule and the session that it shows.
    ///   - ticket: Ticket of the pool.
    /// - Returns: `nil` if nothing of the session was shown: the share may show another one.
    /// - Throws: ``SegmentLogError``
    package func latest(
        of source: CatchUp.Source, _ ticket: ReadPool.Ticket
    ) throws(SegmentLogError) -> FeedSnapshot? {
        let now = clock()
        guard let session = source.sessions.first,
            let records = recordsOnce(of: session, by: source.rule, at: now, ticket),
            let found = try records.fields(
                at: Timestamp(microseconds: .max), arrivedBy: source.shownArrivals(at: now),
                now: now),
            found.fields.everything.isKnown, !ticket.isCancelled
        else { return nil }
        let cursor = LogCursor(epoch: log.epoch, offset: source.end)
        var view = ShareView(source.share, cursor: cursor, at: now)
        _ = view.take(found.fields.everything, at: now)
        return view.snapshot
    }

    /// Records for one read up to the session's end. An existing index is used; none is built,
    /// because that would read the session twice.
    private func recordsOnce(
        of session: SessionID, by rule: ProjectionRule, at now: Timestamp,
        _ ticket: ReadPool.Ticket
    ) -> ShownRecords? {
        guard let summary = catalog.summary(of: session) else { return nil }
        var known = rule == .everything ? nil : indexes.index(of: summary, by: rule)
        if known?.isBehind(summary.records, at: now) == true { known = nil }
        return ShownRecords(
            summary, rule: rule, index: known, reader: log.reader(), epoch: log.epoch,
            isCancelled: { ticket.isCancelled })
    }
}
