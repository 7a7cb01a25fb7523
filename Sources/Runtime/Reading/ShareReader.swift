package import Logging
package import SegmentLog
package import SensorModel
package import Sessions
package import Sharing
import Transport

/// Reads recorded sessions as shares show them: the only path from the log to a viewer.
package struct ShareReader: Sendable {
    package let log: SegmentLog
    package let catalog: SessionCatalog
    package let pool: ReadPool
    package let indexes = ProjectionIndexes()
    package let overviews = Overviews()
    let readings = SharedReadings()
    package let mailbox: PipelineMailbox
    package let clock: @Sendable () -> Timestamp
    /// Silence after which a session has ended.
    let silenceSeconds: Double
    package let logger: Logger

    /// Seconds that a viewer waits for a failed disk.
    private static let waitSeconds = 2.0

    /// Records of a session that a rule shows. Runs on a thread of the pool.
    ///
    /// - Returns: `nil` for a session that is gone, or after a cancellation.
    /// - Throws: ``SegmentLogError``
    package func records(
        of session: SessionID, by rule: ProjectionRule, _ ticket: ReadPool.Ticket
    ) throws(SegmentLogError) -> ShownRecords? {
        guard let summary = catalog.summary(of: session) else { return nil }
        let index = rule == .everything ? nil : try index(of: summary, by: rule, ticket)
        guard !ticket.isCancelled else { return nil }
        return ShownRecords(
            summary, rule: rule, index: index, reader: log.reader(), epoch: log.epoch,
            indexNow: { () throws(SegmentLogError) in
                guard rule != .everything, let summary = catalog.summary(of: session) else {
                    return nil
                }
                return try self.index(of: summary, by: rule, ticket)
            },
            isCancelled: { ticket.isCancelled })
    }

    /// Records from which an index is prepared; a shorter session is read as fast without one.
    private static let preparedRecordsMin = 1024

    /// Builds the index of a session that has ended. Otherwise the first request would take longer
    /// if something is hidden, which reveals that fact. Runs on a thread of the pool.
    package func prepare(
        _ summary: SessionSummary, by rule: ProjectionRule, _ ticket: ReadPool.Ticket
    ) {
        guard rule != .everything, summary.records >= Self.preparedRecordsMin else { return }
        // If the log cannot be read, the later request reports it.
        _ = try? index(of: summary, by: rule, ticket)
    }

    private func index(
        of summary: SessionSummary, by rule: ProjectionRule, _ ticket: ReadPool.Ticket
    ) throws(SegmentLogError) -> ProjectionIndex? {
        let known = indexes.index(of: summary, by: rule)
        let now = clock()
        if let known, !known.isBehind(summary.records, at: now) { return known }
        let made = try ProjectionIndex.reading(
            summary, rule: rule, extending: known, reader: log.reader(), now: now,
            isCancelled: { ticket.isCancelled })
        if let made { indexes.keep(made, of: summary, by: rule) }
        return made
    }

    /// Waits until readers can see a record that was appended and flushed.
    ///
    /// - Returns: `false` when they cannot: the disk has failed.
    package func isReadable(through offset: RecordOffset) async -> Bool {
        // Offset 0 is before all records: the end of an empty log.
        guard offset.rawValue > 0, log.writtenEnd <= offset else { return true }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await log.waitUntilWritten(through: offset, onFailure: .keepWaiting) == .reached
            }
            group.addTask {
                // Cancelled once the record is readable.
                try? await Task.sleep(for: .seconds(Self.waitSeconds))
                return false
            }
            let isReached = await group.next() ?? false
            group.cancelAll()
            return isReached
        }
    }
}
