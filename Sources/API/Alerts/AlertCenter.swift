package import Logging
import Registry
package import Runtime
package import SensorModel
import Synchronization

/// Tells a device's receivers of its alerts, again and again until one of them confirms or it is
/// over. Any thread.
///
///     events ──take──▶ AlertCases ──due──▶ AlertTeller ──▶ receivers
///     pipeline, each 10 s ──▶ RunWatch ──┘      ▲
///     confirmations ───────────────────────────┘
package final class AlertCenter: Sendable {
    /// What receivers are told of an alert.
    struct News: Sendable {
        let entry: AlertCases.Entry
        let phase: AlertMessage.Phase
    }

    struct State: Sendable {
        var cases = AlertCases()
        var watch = RunWatch()
        /// Ends and confirmations to tell.
        var news: [News] = []
        /// Devices whose receivers are being told.
        var telling: Set<DeviceID> = []
        var isEndingLinks = false
    }

    static let tickSeconds = 10.0
    /// Devices whose receivers are told at once: a receiver that hangs holds up few others.
    static let tellingMax = 8
    private static let newsMax = 256

    let accounts: Accounts
    let logger: Logger
    let clock: @Sendable () -> Timestamp
    let state = Mutex(State())
    let work = WakingWork()

    package init(
        accounts: Accounts, logger: Logger, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.accounts = accounts
        self.logger = logger
        self.clock = clock
    }

    package func stop() { work.stop() }

    // MARK: Events

    /// Takes an event of a session.
    package func take(_ event: StreamEvent, of session: SessionID, from device: DeviceID) {
        guard case .alert(let alert) = event.kind, let topic = AlertTopic(alert.kind),
            !session.isImported
        else { return }
        let key = AlertCases.Key(session: session, topic: topic)
        switch alert.phase {
        case .triggered where alert.cancelBefore == nil, .confirmed:
            guard accounts.hasReceivers(device) else { return }
            raise(key, of: device, since: event.deviceTime)
        case .cancelled, .cleared: end([key])
        case .triggered: break
        }
    }

    /// Drops what waits of sessions that are being erased.
    @Sendable package func erase(_ sessions: Set<SessionID>) {
        state.withLock { state in
            state.cases.forget(sessions)
            state.watch.forget(sessions)
            state.news.removeAll { sessions.contains($0.entry.key.session) }
        }
    }

    func raise(
        _ key: AlertCases.Key, of device: DeviceID, since: Timestamp,
        overdue: RunWatch.Expectation? = nil
    ) {
        let now = clock()
        let (raised, isKnown, removed) = state.withLock { state in
            var generator = SystemRandomNumberGenerator()
            let raised = state.cases.raise(
                key, of: device, since: since, overdue: overdue, at: now, using: &generator)
            return (raised, state.cases.isKnown(key), state.cases.takeRemoved())
        }
        for key in removed { dropKept(key) }
        guard let raised else {
            if !isKnown {
                logger.warning(
                    "too many alerts are open: one is not told",
                    metadata: ["alert": "\(key.topic.rawValue)"])
            }
            return
        }
        keep(raised)
        work.wake()
    }

    func end(_ keys: [AlertCases.Key]) {
        let now = clock()
        let ended = state.withLock { state in keys.compactMap { state.cases.end($0, at: now) } }
        finish(ended, .over)
    }

    /// Tells receivers of the last news of alerts, and forgets them for a restart.
    func finish(_ entries: [AlertCases.Entry], _ phase: AlertMessage.Phase) {
        for entry in entries {
            if phase == .confirmed { keep(entry) } else { dropKept(entry.key) }
            // Who was told nothing need not hear that it is over.
            guard entry.tellings > 0 else { continue }
            state.withLock { state in
                guard state.news.count < Self.newsMax else { return }
                state.news.append(News(entry: entry, phase: phase))
            }
        }
        if !entries.isEmpty { work.wake() }
    }

    // MARK: Confirmations

    /// What the receiver of a secret was told, and who takes care by now; `nil`: no such alert.
    func notice(for token: ShareID) -> (told: AlertNotice?, confirmedBy: String?)? {
        state.withLock { $0.cases.notice(for: token) }
    }

    /// Takes back from a receiver, which was removed or changed, that it may confirm.
    func withdraw(_ receiver: Receiver, of device: DeviceID) {
        state.withLock { $0.cases.withdraw(receiver.name, of: device) }
    }

    /// Confirms an alert on behalf of the receiver that was sent the secret.
    ///
    /// - Returns: The alert, and whether it was not confirmed before; `nil`: no such one.
    func confirm(_ token: ShareID) -> (entry: AlertCases.Entry, isNew: Bool)? {
        let confirmed = state.withLock { $0.cases.confirm(token) }
        if let confirmed, confirmed.isNew {
            finish([confirmed.entry], .confirmed)
            logger.log(
                .alert, .notice, "alert confirmed",
                ["alert": "\(confirmed.entry.key.topic.rawValue)"])
        }
        return confirmed
    }
}
