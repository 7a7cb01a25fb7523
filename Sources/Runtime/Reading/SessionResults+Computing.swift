import Registry
import SegmentLog
import SensorModel
import Sessions
import Synchronization

/// Results from the log.
extension SessionResults {
    func compute(
        _ sessions: ArraySlice<SessionSummary>, isCancelled: () -> Bool
    ) throws(ReadRefusal) -> [SessionResult] {
        var computed: [SessionResult] = []
        for summary in sessions {
            guard !isCancelled() else {
                // A client that gives up and asks again finds these.
                keep(computed)
                throw .cancelled
            }
            computations.add(1, ordering: .relaxed)
            if let result = compute(summary) { computed.append(result) }
        }
        keep(computed)
        return computed
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
