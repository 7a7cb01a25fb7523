import Foundation
import Registry
package import Runtime
import Secrets
import SegmentLog
import SensorModel
import Synchronization

/// Open alerts are kept in the registry, and are told again after a restart.
extension AlertCenter {
    /// What the registry keeps of an alert besides its columns.
    private struct Detail: Codable {
        let checkpoint: String
        let at: Int64
        let marginSeconds: Double
    }

    /// Keeps an alert. If the disk takes nothing, it is told until a restart.
    func keep(_ entry: AlertCases.Entry) {
        let detail = entry.overdue.map {
            JSONBody.text(
                Detail(
                    checkpoint: $0.checkpoint, at: $0.at.microseconds,
                    marginSeconds: $0.marginSeconds))
        }
        let alert = OpenAlert(
            session: entry.key.session, device: entry.device, topic: entry.key.topic.rawValue,
            since: entry.since, raisedAt: entry.raisedAt, detail: detail,
            sealedSecret: accounts.masterKey.seal(entry.secret.bytes, for: .alert(entry.device)),
            confirmedBy: entry.confirmedBy)
        accounts.writing.async { [registry = accounts.registry] in
            try? registry.putOpenAlert(alert)
        }
    }

    func dropKept(_ key: AlertCases.Key) {
        let (session, topic) = (key.session, key.topic.rawValue)
        accounts.writing.async { [registry = accounts.registry] in
            try? registry.removeOpenAlert(of: session, topic: topic)
        }
    }

    /// Takes over open alerts. It runs before any device can connect: an end that came earlier would
    /// be missed.
    package func restore(_ teller: AlertTeller, _ pipeline: Pipeline) async {
        let changes = teller.administration.changes
        let kept = await changes.run { [accounts] in
            (try? accounts.registry.openAlerts()) ?? []
        }
        // Calls for help take room first.
        let help = Set(AlertTopic.allCases.filter(\.isCallForHelp).map(\.rawValue))
        for alert in kept.filter({ help.contains($0.topic) })
            + kept.filter({ !help.contains($0.topic) })
        {
            guard restore(alert, pipeline) else {
                accounts.writing.async { [registry = accounts.registry] in
                    try? registry.removeOpenAlert(of: alert.session, topic: alert.topic)
                }
                continue
            }
        }
        await teller.restoreLinks()
    }

    /// Takes over the runs that were under way. No device waits for it.
    func restoreRuns(_ teller: AlertTeller, _ pipeline: Pipeline) async {
        let now = clock()
        let devices = accounts.withState { Array($0.receiverSilence.keys) }
        // A few at once: owners' changes wait in the same queue.
        for start in stride(from: 0, to: devices.count, by: Self.devicesPerQuestion) {
            let part = devices[start..<min(start + Self.devicesPerQuestion, devices.count)]
            let runs = await teller.administration.changes.run {
                part.compactMap { pipeline.newestRun(of: $0, at: now) }
            }
            state.withLock { state in for run in runs { state.watch.restore(run) } }
        }
    }

    /// - Returns: `false` for an alert that is not told any more.
    private func restore(_ alert: OpenAlert, _ pipeline: Pipeline) -> Bool {
        let now = clock()
        let bytes = try? accounts.masterKey.open(
            alert.sealedSecret, for: .alert(alert.device))
        guard let secret = bytes.flatMap(ShareID.init(bytes:)),
            let topic = AlertTopic(rawValue: alert.topic),
            now.seconds(since: alert.raisedAt) < AlertCases.lifetimeSeconds,
            pipeline.catalog.device(of: alert.session) == alert.device
        else { return false }
        let detail = alert.detail.flatMap {
            try? JSONDecoder().decode(Detail.self, from: Data($0.utf8))
        }
        let overdue = detail.map {
            RunWatch.Expectation(
                checkpoint: $0.checkpoint, at: Timestamp(microseconds: $0.at),
                marginSeconds: $0.marginSeconds)
        }
        let restored = RestoredAlert(
            key: AlertCases.Key(session: alert.session, topic: topic), device: alert.device,
            since: alert.since, raisedAt: alert.raisedAt, overdue: overdue, secret: secret,
            confirmedBy: alert.confirmedBy)
        state.withLock { state in
            state.cases.restore(restored, at: now)
            guard topic == .silent || topic == .overdue else { return }
            state.watch.restore(
                RunWatch.Observation(
                    session: alert.session, device: alert.device, lastArrival: alert.since),
                isSilent: topic == .silent, overdue: overdue)
        }
        return true
    }
}

extension Pipeline {
    /// The newest session of a device as it was before the start, if it was under way.
    fileprivate func newestRun(
        of device: DeviceID, at now: Timestamp
    ) -> RunWatch.Observation? {
        let newest = catalog.page(of: .device(device), limit: 1).sessions.first
        guard let summary = newest, !summary.session.isImported else { return nil }
        let arrival = summary.arrivalTimes.upperBound
        guard now.seconds(since: arrival) < RunWatch.forgottenSeconds else { return nil }
        // A stored result that has ended is that of a run that was stopped, or told already.
        let state = results.storedTotals(of: summary)?.state
        guard state != .ended else { return nil }
        return RunWatch.Observation(
            session: summary.session, device: device, lastArrival: arrival)
    }
}
