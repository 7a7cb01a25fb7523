package import SensorModel
import SegmentLog
import Sessions
import Sharing

/// Finds out which session a share shows if only the log can tell: after a restart, and after a
/// change of privacy settings.
///
/// A share with positions skips a session that is hidden altogether and shows the previous one. An
/// answer before that is known would reveal that the newest session is hidden. No share shows a
/// session that ended before the share was made, even if its last record came later.
extension ShareReader {
    /// Reads until the daemon knows what the shares show. Returns at once if it does.
    ///
    /// - Parameters:
    ///   - shares: Shares of devices.
    ///   - party: Party whose turn of the pool it takes.
    ///   - requester: Requester within the party.
    /// - Throws: ``ReadRefusal``, also ``ReadRefusal/busy`` while settings change or the disk
    ///   fails; ``SegmentLogError``
    package func resolve(
        _ shares: [Share], for party: ReadParty, from requester: ReadRequester
    ) async throws {
        let unresolved = try await mailbox.answerForReader { core in
            shares.filter { core.unresolved(by: $0) != nil }
        }
        for share in unresolved {
            var readings = 0
            while let found = try await mailbox.answerForReader({ $0.unresolved(by: share) }) {
                readings += 1
                guard readings <= Self.readingsMax, let session = found.source.sessions.first
                else { throw ReadRefusal.busy }
                let key = SharedReadings.Key(
                    session: session, isOfEnd: found.isOfEnd, rule: found.source.rule)
                try await self.readings.once(key) {
                    try await resolve(found, for: party, from: requester)
                }
            }
        }
    }

    private func resolve(
        _ found: PipelineCore.Unresolved, for party: ReadParty, from requester: ReadRequester
    ) async throws {
        let (source, isOfEnd) = (found.source, found.isOfEnd)
        // The session might look hidden if a failed disk holds back some of its records.
        guard await isReadable(through: source.end) else { throw ReadRefusal.busy }
        let time = try await pool.run(for: party, from: requester) { ticket in
            isOfEnd ? try ended(source, ticket) : try cameIntoView(source, ticket)
        }
        let isNoted: Void? = await mailbox.ask { core in
            if isOfEnd {
                core.resolve(source, ended: time)
            } else {
                core.resolve(source, cameIntoView: time)
            }
        }
        guard isNoted != nil else { throw ReadRefusal.cancelled }
    }

    /// Maximum number of reads for one share: each session it may show is read for view and end.
    private static let readingsMax = 4 * DeviceSessions.endedMax

    /// Finds out what the shares show, one share after the other, so that the first viewer after a
    /// start need not wait. A share that cannot be read now is left to its viewers.
    package func resolveInTurn(_ shares: [Share]) async {
        for share in shares {
            let began = ContinuousClock.now
            do { try await resolve([share], for: .upkeep, from: .owner) } catch {
                guard error as? ReadRefusal != .cancelled else { return }
            }
            let rest = (ContinuousClock.now - began) * Self.restFactor
            do { try await Task.sleep(for: rest) } catch { return }
        }
    }

    /// Pause after each share of ``resolveInTurn(_:)``, as a multiple of its duration: a fifth of a
    /// processor at most.
    private static let restFactor = 4

    /// Time at which a source's session first ended; `nil`: it has not. A session that cannot be
    /// read counts as ended long ago.
    private func ended(_ source: CatchUp.Source, _ ticket: ReadPool.Ticket) throws -> Timestamp? {
        guard let session = source.sessions.first else { return nil }
        do { return try end(of: session, ticket) } catch is SegmentLogError { return Self.longAgo }
    }

    /// Runs on a thread of the pool.
    ///
    /// - Returns: Time at which the session first ended, long ago if it was erased; `nil`: it has
    ///   not.
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

    /// Arrival of the first record that the source's share shows; `nil`: it shows none.
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
