import Processing
package import Runtime
import SegmentLog
import SensorModel
import Sessions
import Synchronization

/// What the center does on its own: it looks at runs and tells receivers.
extension AlertCenter {
    /// Devices whose sessions are asked of the pipeline, or looked up, at once.
    static let devicesPerQuestion = 100

    /// Begins to watch runs and to tell receivers.
    package func start(_ teller: AlertTeller, _ pipeline: Pipeline) {
        work.start(
            tickSeconds: Self.tickSeconds,
            begin: { [weak self] in await self?.restoreRuns(teller, pipeline) },
            tick: { [weak self] in await self?.tick(teller, pipeline) },
            woken: { [weak self] in
                guard let self else { return [] }
                return takeDue().map { news in
                    {
                        await teller.tell(news, self)
                        self.told(news)
                        self.endLinks(teller)
                    }
                }
            })
    }

    private func tick(_ teller: AlertTeller, _ pipeline: Pipeline) async {
        let silence = accounts.withState { $0.receiverSilence }
        let devices = Array(silence.keys)
        var observations: [RunWatch.Observation] = []
        for start in stride(from: 0, to: devices.count, by: Self.devicesPerQuestion) {
            let part = devices[start..<min(start + Self.devicesPerQuestion, devices.count)]
            observations += await pipeline.observations(of: Array(part))
        }
        let now = clock()
        let changes = state.withLock { [observations] in
            $0.watch.update(observations, silentSeconds: silence, at: now)
        }
        for change in changes {
            switch change {
            case .raised(let key, let device, let since, let overdue):
                // It may have been erased since it was looked at.
                guard pipeline.catalog.device(of: key.session) == device else { continue }
                raise(key, of: device, since: since, overdue: overdue)
            case .over(let key): end([key])
            case .stopped(let session):
                let ended = state.withLock { $0.cases.endRun(session, at: now) }
                finish(ended, .over)
            }
        }
        endLinks(teller)
        let removed = state.withLock { $0.cases.takeRemoved() }
        for key in removed { dropKept(key) }
        work.wake()
    }

    /// Ends the live links of alerts that are over. The disk may be slow, so nobody waits for it.
    private func endLinks(_ teller: AlertTeller) {
        let isFirst = state.withLock { state in
            defer { state.isEndingLinks = true }
            return !state.isEndingLinks
        }
        guard isFirst else { return }
        Task {
            await teller.endLinks { device, onlyHelp in
                self.state.withLock { $0.cases.isOpen(device, onlyHelp: onlyHelp) }
            }
            state.withLock { $0.isEndingLinks = false }
        }
    }

    /// What is told now, to the receivers of a few devices.
    private func takeDue() -> [News] {
        let now = clock()
        return state.withLock { state in
            var due: [News] = []
            var telling = state.telling
            func isFree(_ device: DeviceID) -> Bool {
                !telling.contains(device) && telling.count < Self.tellingMax
            }
            while let entry = state.cases.takeDue(at: now, where: isFree) {
                telling.insert(entry.device)
                due.append(News(entry: entry, phase: .raised))
            }
            state.news.removeAll { news in
                guard isFree(news.entry.device) else { return false }
                telling.insert(news.entry.device)
                due.append(news)
                return true
            }
            state.telling = telling
            return due
        }
    }

    private func told(_ news: News) {
        _ = state.withLock { $0.telling.remove(news.entry.device) }
        work.wake()
    }
}

extension Pipeline {
    /// Live sessions of devices that are not sent from a recording.
    func observations(of devices: [DeviceID]) async -> [RunWatch.Observation] {
        let found = await mailbox.ask { core in
            devices.flatMap { core.sessions.of($0) }.compactMap { live -> RunWatch.Observation? in
                guard !live.isRecorded, !live.id.isImported,
                    let metrics = live.computation?.processors.pipeline.metrics
                else { return nil }
                return RunWatch.Observation(
                    session: live.id, device: live.device, lastArrival: live.lastArrival,
                    isStopped: live.hasEnded && !live.isEndedBySilence,
                    isEnded: live.hasEnded, isPausedByHand: metrics.manuallyPaused,
                    elapsedSeconds: metrics.elapsedSeconds,
                    distanceMeters: metrics.distanceMeters,
                    checkpoint: metrics.course?.checkpoint,
                    predictedSeconds: metrics.course?.predictedSeconds)
            }
        }
        return found ?? []
    }
}
