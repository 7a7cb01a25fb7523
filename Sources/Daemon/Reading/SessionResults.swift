import Registry
import Replay
import SegmentLog
import SensorModel
import Synchronization

/// What recorded sessions amounted to: from the registry where that still holds, else computed from
/// the log and kept. On threads of the pool.
final class SessionResults: Sendable {
    private let log: SegmentLog
    private let registry: RegistryStore
    private let catalog: SessionCatalog
    /// Held while results are written or deleted, so that none of an erased session is left.
    private let writing = Mutex<Void>(())
    /// Those asked for last, so that a year of training is not read from the registry each time.
    private let recent = Mutex<[SessionID: SessionResult]>([:])
    /// Of ``recent``: 2 MiB.
    private static let recentMax = 8192

    init(log: SegmentLog, registry: RegistryStore, catalog: SessionCatalog) {
        self.log = log
        self.registry = registry
        self.catalog = catalog
    }

    /// - Parameters:
    ///   - sessions: As the catalog has them.
    ///   - limit: So many are computed at most, in the order of `sessions`; each is read from the log.
    ///   - isCancelled: Asked between sessions.
    /// - Returns: Of each session its result; none of one that is beyond the limit or cannot be read
    ///   now.
    /// - Throws: ``ReadRefusal/cancelled``
    func results(
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

    /// Computes and keeps those of sessions of which none is kept, for whoever asks later.
    ///
    /// - Parameters:
    ///   - sessions: As the catalog has them.
    ///   - limit: So many are computed at most, in the order of `sessions`.
    ///   - isCancelled: Asked between sessions.
    /// - Returns: Those that are beyond the limit.
    /// - Throws: ``ReadRefusal/cancelled``
    func complete(
        _ sessions: [SessionSummary], computingMost limit: Int, isCancelled: () -> Bool
    ) throws(ReadRefusal) -> [SessionSummary] {
        let kept = kept(of: sessions)
        let missing = sessions.filter { kept[$0.session] == nil }
        _ = try compute(missing.prefix(limit), isCancelled: isCancelled)
        return Array(missing.dropFirst(limit))
    }

    /// What the registry has that still holds. Without a registry all is computed, which is slower and
    /// as right.
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

    /// The log has erased the sessions, and the catalog knows.
    ///
    /// - Throws: ``RegistryError``
    func delete(_ sessions: [SessionID]) throws(RegistryError) {
        recent.withLock { recent in
            for session in sessions { recent[session] = nil }
        }
        let result = writing.withLock { _ in
            Result { () throws(RegistryError) in try registry.deleteResults(of: sessions) }
        }
        try result.get()
    }

    /// - Returns: `nil` where the log cannot be read now.
    private func compute(_ summary: SessionSummary) -> SessionResult? {
        // Records that only memory holds are not in what is read.
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
                    // A record of a version that is not known has no metrics to show.
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
        writing.withLock { _ in
            let last = catalog.lastOffsets(of: results.map(\.session))
            let current = results.filter { last[$0.session] == $0.lastOffset }
            // What is not kept is computed again.
            try? registry.putResults(current)
        }
    }
}
