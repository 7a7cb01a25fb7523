import Logging
import SegmentLog
import SensorModel
import Sessions
import Sharing
import Transport

/// Reads what shares show of recorded sessions: the one way from the log to a viewer.
struct ShareReader: Sendable {
    let log: SegmentLog
    let catalog: SessionCatalog
    let pool: ReadPool
    let indexes = ProjectionIndexes()
    let mailbox: PipelineMailbox
    let clock: @Sendable () -> Timestamp
    let logger: Logger

    /// How long a viewer waits for a disk that has failed.
    private static let waitSeconds = 2.0

    /// What is shown of a session by a rule. On a thread of the pool.
    ///
    /// - Returns: `nil` for a session that is gone, and where nobody waits for it any more.
    /// - Throws: ``SegmentLogError``
    func records(
        of session: SessionID, by rule: ProjectionRule, _ ticket: ReadPool.Ticket
    ) throws(SegmentLogError) -> ShownRecords? {
        guard let summary = catalog.summary(of: session) else { return nil }
        let index = rule == .everything ? nil : try index(of: summary, by: rule, ticket)
        guard !ticket.isCancelled else { return nil }
        return ShownRecords(
            summary, rule: rule, index: index, reader: log.reader(), epoch: log.epoch,
            isCancelled: { ticket.isCancelled })
    }

    private func index(
        of summary: SessionSummary, by rule: ProjectionRule, _ ticket: ReadPool.Ticket
    ) throws(SegmentLogError) -> ProjectionIndex? {
        let session = summary.session
        let known = indexes.index(of: session, by: rule)
        if let known, !known.isBehind(summary.records) { return known }
        let made = try ProjectionIndex.reading(
            summary, rule: rule, extending: known, reader: log.reader(),
            isCancelled: { ticket.isCancelled })
        if let made { indexes.keep(made, of: session, by: rule) }
        return made
    }

    /// Waits until readers can see a record that was appended and flushed.
    ///
    /// - Returns: `false` when they cannot: the disk has failed.
    func isReadable(through offset: RecordOffset) async -> Bool {
        guard log.writtenEnd <= offset else { return true }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await log.waitUntilWritten(through: offset, onFailure: .keepWaiting) == .reached
            }
            group.addTask {
                // Cancelled once the record is there.
                try? await Task.sleep(for: .seconds(Self.waitSeconds))
                return false
            }
            let isReached = await group.next() ?? false
            group.cancelAll()
            return isReached
        }
    }
}
