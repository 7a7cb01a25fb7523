package import Registry
package import SegmentLog
package import SensorModel
import Synchronization

/// Results of recorded sessions: from the registry if still valid, otherwise computed from the log
/// and stored. Runs on threads of the pool.
package final class SessionResults: Sendable {
    let log: SegmentLog
    let registry: RegistryStore
    let catalog: SessionCatalog
    /// Held while results are written or deleted, so that no result of an erased session remains.
    /// Counts removals under way by session; no results are stored for these.
    let writing = Mutex<[SessionID: Int]>([:])
    /// Sessions whose newest records the log lacks, found since the start.
    let shortened = Mutex<Set<SessionID>>([])
    /// Recently requested results, so that a year of training does not read the registry each time.
    private let recent = Mutex(RecentResults())
    /// Removed sessions whose results could not be deleted yet.
    let waiting = Mutex<Set<SessionID>>([])
    /// Number of results that were computed from the log; for tests.
    let computations = Atomic(0)

    package init(log: SegmentLog, registry: RegistryStore, catalog: SessionCatalog) {
        self.log = log
        self.registry = registry
        self.catalog = catalog
    }

    /// Looks up results, and computes missing ones, each with a read of the log.
    ///
    /// - Parameters:
    ///   - sessions: Sessions, as the catalog lists them.
    ///   - isCancelled: Checked between sessions.
    /// - Returns: Results by session, without sessions that cannot be read now.
    /// - Throws: ``ReadRefusal/cancelled``; what was computed before is stored.
    func results(
        of sessions: [SessionSummary], isCancelled: () -> Bool = { false }
    ) throws(ReadRefusal) -> [SessionID: SessionResult] {
        var results = known(of: sessions)
        let missing = sessions.filter { results[$0.session] == nil }
        guard !missing.isEmpty else { return results }
        let computed = try compute(missing[...], isCancelled: isCancelled)
        for result in computed { results[result.session] = result }
        remember(computed)
        return results
    }

    /// Totals that need no read of the log; `nil`: none are stored.
    package func storedTotals(of summary: SessionSummary) -> SessionResult.Totals? {
        known(of: [summary])[summary.session]?.totals
    }

    /// Results that need no read of the log: recently requested ones, and stored ones.
    func known(of sessions: [SessionSummary]) -> [SessionID: SessionResult] {
        let found = recent.withLock { $0.results(of: sessions.map(\.session)) }
        var results: [SessionID: SessionResult] = [:]
        for summary in sessions {
            guard let result = found[summary.session], holds(result, for: summary) else { continue }
            results[summary.session] = result
        }
        let unknown = sessions.filter { results[$0.session] == nil }
        guard !unknown.isEmpty else { return results }
        let kept = kept(of: unknown)
        results.merge(kept) { _, stored in stored }
        remember(kept.values)
        return results
    }

    /// Computes and stores missing results, for later requests.
    ///
    /// - Parameters:
    ///   - sessions: Sessions, as the catalog lists them.
    ///   - limit: Results computed at most, in the order of `sessions`.
    ///   - isCancelled: Checked between sessions.
    /// - Returns: Sessions beyond the limit.
    /// - Throws: ``ReadRefusal/cancelled``
    func complete(
        _ sessions: [SessionSummary], computingMost limit: Int, isCancelled: () -> Bool
    ) throws(ReadRefusal) -> [SessionSummary] {
        let kept = kept(of: sessions)
        let missing = sessions.filter { kept[$0.session] == nil }
        _ = try compute(missing.prefix(limit), isCancelled: isCancelled)
        return Array(missing.dropFirst(limit))
    }

    /// Stored results that are still valid. Without a registry all are computed, which is slower
    /// and gives the same results.
    private func kept(of sessions: [SessionSummary]) -> [SessionID: SessionResult] {
        var kept = (try? registry.results(of: sessions.map(\.session))) ?? [:]
        for summary in sessions {
            guard let result = kept[summary.session], !holds(result, for: summary) else { continue }
            kept[summary.session] = nil
        }
        return kept
    }

    private func holds(_ result: SessionResult, for summary: SessionSummary) -> Bool {
        result.epoch == log.epoch && result.lastOffset == summary.lastOffset
            && result.device == summary.device
    }

    private func remember(_ results: some Sequence<SessionResult>) {
        recent.withLock { recent in
            for result in results { recent.insert(result) }
        }
    }

    /// Deletes results and notes of sessions. If the registry cannot be written, ``deleteWaiting()`` deletes
    /// them later.
    ///
    /// - Throws: ``RegistryError``
    package func delete(_ sessions: [SessionID]) throws(RegistryError) {
        forgetRecent(sessions)
        do throws(RegistryError) { try deleteStored(sessions) } catch {
            guard case .notWritable = error else { throw error }
            waiting.withLock { $0.formUnion(sessions) }
        }
    }

    func forgetRecent(_ sessions: some Sequence<SessionID>) {
        recent.withLock { recent in
            for session in sessions { recent.remove(session) }
        }
    }

    /// Deletes results and notes whose deletion failed because the registry could not be written.
    ///
    /// - Throws: ``RegistryError``
    package func deleteWaiting() throws(RegistryError) {
        let sessions = waiting.withLock { $0 }
        try deleteStored(Array(sessions))
        waiting.withLock { $0.subtract(sessions) }
    }

    private func deleteStored(_ sessions: [SessionID]) throws(RegistryError) {
        let result = writing.withLock { _ in
            Result { () throws(RegistryError) in try registry.deleteSessions(sessions) }
        }
        try result.get()
    }
}
