package import SensorModel
import SegmentLog
import Sessions
import Sharing

/// Which session a share shows, where only the log can tell: after a restart, and after a change of
/// privacy settings.
///
/// A share with positions shows nothing of a session that is hidden altogether, and goes on with the
/// one before. An answer given before that is known would tell that the newest one is hidden. And no
/// share shows a session that ended before it was made, whose last record may have come later.
extension ShareReader {
    /// Reads until it is known what the shares show. Returns at once if it is.
    ///
    /// - Parameters:
    ///   - shares: Shares of devices.
    ///   - party: Party whose turn of the pool it takes.
    ///   - requester: Requester within the party.
    /// - Throws: ``ReadRefusal``, also ``ReadRefusal/busy`` while settings change or the disk fails;
    ///   ``SegmentLogError``
    package func settle(
        _ shares: [Share], for party: ReadParty, from requester: ReadRequester
    ) async throws {
        let unsettled = try await mailbox.answerForReader { core in
            shares.filter { core.unsettled(by: $0) != nil }
        }
        for share in unsettled {
            var readings = 0
            while let found = try await mailbox.answerForReader({ $0.unsettled(by: share) }) {
                readings += 1
                guard readings <= Self.readingsMax, let session = found.source.sessions.first
                else { throw ReadRefusal.busy }
                let key = Settlements.Key(
                    session: session, isOfEnd: found.isOfEnd, rule: found.source.rule)
                try await settlements.once(key) {
                    try await settle(found, for: party, from: requester)
                }
            }
        }
    }

    private func settle(
        _ found: PipelineCore.Unsettled, for party: ReadParty, from requester: ReadRequester
    ) async throws {
        let (source, isOfEnd) = (found.source, found.isOfEnd)
        // Without records that a failed disk holds back the session might look hidden.
        guard await isReadable(through: source.end) else { throw ReadRefusal.busy }
        let time = try await pool.run(for: party, from: requester) { ticket in
            isOfEnd ? try ended(source, ticket) : try cameIntoView(source, ticket)
        }
        let isNoted: Void? = await mailbox.ask { core in
            if isOfEnd {
                core.settle(source, ended: time)
            } else {
                core.settle(source, cameIntoView: time)
            }
        }
        guard isNoted != nil else { throw ReadRefusal.cancelled }
    }

    /// More than a share has sessions that it may show, each read for its view and its end.
    private static let readingsMax = 4 * DeviceSessions.endedMax

    /// Settles what the shares show, one after the other, so that the first viewer after a start need
    /// not wait for it. One that cannot be read now is left to its viewers.
    package func settleInTurn(_ shares: [Share]) async {
        for share in shares {
            let began = ContinuousClock.now
            do { try await settle([share], for: .upkeep, from: .owner) } catch {
                guard error as? ReadRefusal != .cancelled else { return }
            }
            let rest = (ContinuousClock.now - began) * Self.restFactor
            do { try await Task.sleep(for: rest) } catch { return }
        }
    }

    /// Pause after each share of ``settleInTurn(_:)``, as a multiple of its duration: a fifth of a
    /// processor at most.
    private static let restFactor = 4

    /// When a source's session was over first; `nil`: it was not. One that cannot be read is taken to have
    /// been over when the share was made.
    private func ended(_ source: CatchUp.Source, _ ticket: ReadPool.Ticket) throws -> Timestamp? {
        guard let session = source.sessions.first else { return nil }
        do { return try end(of: session, ticket) } catch is SegmentLogError { return Self.longAgo }
    }

    /// Runs on a thread of the pool.
    ///
    /// - Returns: When the session was over first, long ago for one that was erased; `nil`: it was not.
    /// - Throws: ``SegmentLogError``; ``ReadRefusal/cancelled``
    package func end(of session: SessionID, _ ticket: ReadPool.Ticket) throws -> Timestamp? {
        guard let summary = catalog.summary(of: session) else { return Self.longAgo }
        let end = try log.reader().firstEnd(
            of: summary, silenceSeconds: silenceSeconds, now: clock(),
            isCancelled: { ticket.isCancelled })
        guard !ticket.isCancelled else { throw ReadRefusal.cancelled }
        return end
    }

    private static let longAgo = Timestamp(microseconds: .min)

    /// Arrival of what the source's share shows first; `nil`: nothing is shown.
    private func cameIntoView(
        _ source: CatchUp.Source, _ ticket: ReadPool.Ticket
    ) throws -> Timestamp? {
        guard let session = source.sessions.first,
            let records = try records(of: session, by: source.rule, ticket)
        else {
            // Erased meanwhile, unless the reading was cancelled.
            if ticket.isCancelled { throw ReadRefusal.cancelled }
            return nil
        }
        let (first, ending) = try records.firstShown(arrivedBy: nil, now: clock())
        guard ending != .cancelled else { throw ReadRefusal.cancelled }
        return first?.arrival
    }
}
