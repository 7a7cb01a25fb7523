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
    ///   - isCancelled: Asked between sessions.
    /// - Returns: Of each session its result; none of one that cannot be read now.
    /// - Throws: ``ReadRefusal/cancelled``
    func results(
        of sessions: [SessionSummary], isCancelled: () -> Bool = { false }
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
        // Without a registry all is computed, which is slower and as right.
        let kept = (try? registry.results(of: unknown.map(\.session))) ?? [:]
        var computed: [SessionResult] = []
        for summary in unknown {
            if let result = kept[summary.session], holds(result, for: summary) {
                results[summary.session] = result
                continue
            }
            guard !isCancelled() else { throw .cancelled }
            guard let result = compute(summary) else { continue }
            results[summary.session] = result
            computed.append(result)
        }
        keep(computed)
        remember(unknown.compactMap { results[$0.session] })
        return results
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

    /// Computes what a session amounted to once all that it has now is written.
    func sessionEnded(_ session: SessionID, of device: DeviceID, in pool: ReadPool) {
        let last = RecordOffset(rawValue: max(1, log.nextOffset.rawValue) - 1)
        Task {
            guard await log.waitUntilWritten(through: last, onFailure: .report) == .reached else {
                return
            }
            // Where the pool has no room the first who asks computes it.
            try? await pool.run(for: .device(device)) { [self] _ in
                _ = try catalog.summary(of: session).map { try results(of: [$0]) }
            }
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
