package import Registry
package import SegmentLog
package import SensorModel
import Sessions
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
    private let recent = Mutex<[SessionID: SessionResult]>([:])
    /// Removed sessions whose results could not be deleted yet.
    let waiting = Mutex<Set<SessionID>>([])
    /// Maximum count of ``recent``: 2 MiB.
    private static let recentMax = 8192

    package init(log: SegmentLog, registry: RegistryStore, catalog: SessionCatalog) {
        self.log = log
        self.registry = registry
        self.catalog = catalog
    }

    /// - Parameters:
    ///   - sessions: Sessions, as the catalog lists them.
    ///   - limit: Results computed at most, in the order of `sessions`; each needs a read of the
    ///     log.
    ///   - isCancelled: Checked between sessions.
    /// - Returns: Results by session, without sessions beyond the limit and those that cannot be
    ///   read now.
    /// - Throws: ``ReadRefusal/cancelled``
    package func results(
        of sessions: [SessionSummary], computingMost limit: Int = .max,
        isCancelled: () -> Bool = { false }
    ) throws(ReadRefusal) -> [SessionID: SessionResult] {
        var results = recent.withLock { recent in
            sessions.reduce(into: [SessionID: SessionResult]()) { results, summary in
                guard let result = recent[summary.session], holds(result, for: summary) else {
                    return
                }
                results[summary.session] = result
            }
        }
        let unknown = sessions.filter { results[$0.session] == nil }
        guard !unknown.isEmpty else { return results }
        var missing: [SessionSummary] = []
        let kept = kept(of: unknown)
        for summary in unknown {
            results[summary.session] = kept[summary.session]
            if kept[summary.session] == nil { missing.append(summary) }
        }
        for result in try compute(missing.prefix(limit), isCancelled: isCancelled) {
            results[result.session] = result
        }
        remember(unknown.compactMap { results[$0.session] })
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

    private func compute(
        _ sessions: ArraySlice<SessionSummary>, isCancelled: () -> Bool
    ) throws(ReadRefusal) -> [SessionResult] {
        var computed: [SessionResult] = []
        for summary in sessions {
            guard !isCancelled() else { throw .cancelled }
            if let result = compute(summary) { computed.append(result) }
        }
        keep(computed)
        return computed
    }

    private func holds(_ result: SessionResult, for summary: SessionSummary) -> Bool {
        result.epoch == log.epoch && result.lastOffset == summary.lastOffset
            && result.device == summary.device
    }

    private func remember(_ results: [SessionResult]) {
        recent.withLock { recent in
            if recent.count + results.count > Self.recentMax { recent = [:] }
            for result in results { recent[result.session] = result }
        }
    }

    /// Deletes results of sessions. If the registry cannot be written, ``deleteWaiting()`` deletes
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
            for session in sessions { recent[session] = nil }
        }
    }

    /// Deletes results whose deletion failed because the registry could not be written.
    ///
    /// - Throws: ``RegistryError``
    package func deleteWaiting() throws(RegistryError) {
        let sessions = waiting.withLock { $0 }
        try deleteStored(Array(sessions))
        waiting.withLock { $0.subtract(sessions) }
    }

    private func deleteStored(_ sessions: [SessionID]) throws(RegistryError) {
        let result = writing.withLock { _ in
            Result { () throws(RegistryError) in try registry.deleteResults(of: sessions) }
        }
        try result.get()
    }

    /// - Returns: `nil` if the log cannot be read now.
    private func compute(_ summary: SessionSummary) -> SessionResult? {
        // Records that are only in memory would be missing.
        guard log.writtenEnd > summary.lastOffset else { return nil }
        let reader = log.reader()
        do {
            var metrics: Metrics?
            if let offset = try reader.newest(
                .metric, of: summary.session, notAfter: Timestamp(microseconds: .max))
            {
                try reader.read(
                    from: offset, until: RecordOffset(rawValue: offset.rawValue + 1),
                    session: summary.session
                ) { header, payload in
                    // A record of an unknown version has no metrics.
                    if let record = try? SessionRecord(header, payload: payload),
                        case .event(let event) = record, case .metrics(let found) = event.kind
                    {
                        metrics = found
                    }
                    return false
                }
            }
            return SessionResult(
                session: summary.session, device: summary.device, epoch: log.epoch,
                lastOffset: summary.lastOffset, metrics: metrics)
        } catch {
            return nil
        }
    }

    private func keep(_ results: [SessionResult]) {
        guard !results.isEmpty else { return }
        writing.withLock { removing in
            let last = catalog.lastOffsets(of: results.map(\.session))
            // After a power loss the registry must not know records that the log lost.
            let durable = log.durableEnd
            let current = results.filter {
                last[$0.session] == $0.lastOffset && $0.lastOffset < durable
                    && removing[$0.session] == nil
            }
            // A result that is not stored is computed again.
            try? registry.putResults(current)
        }
    }
}
