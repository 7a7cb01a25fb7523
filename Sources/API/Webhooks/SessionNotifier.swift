package import Logging
package import Runtime
package import SensorModel
import Sharing
import Synchronization

/// Writes notable events of a session to the journal, sends the events of webhooks to the owner's
/// systems, alerts to a device's receivers, and ends to its deliveries. Any thread.
package final class SessionNotifier: Sendable {
    private let accounts: Accounts
    private let webhooks: Webhooks?
    private let alerts: AlertCenter
    private let deliveries: DeliveryCenter
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    private let limiters = Mutex((alerts: NoticeLimiter(), others: NoticeLimiter()))

    package init(
        accounts: Accounts, webhooks: Webhooks?, alerts: AlertCenter,
        deliveries: DeliveryCenter, logger: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.accounts = accounts
        self.webhooks = webhooks
        self.alerts = alerts
        self.deliveries = deliveries
        self.logger = logger
        self.clock = clock
    }

    /// Reports the beginning of a session, with the device time of its first frame.
    @Sendable package func began(
        _ session: SessionID, of device: DeviceID, at deviceTime: Timestamp
    ) {
        // An imported run is over already, so the receiver need not hear of it.
        if !session.isImported { webhooks?.began(session, of: device, at: deviceTime) }
        write((.sessionBegan, .info, "session began"), of: session, from: device)
    }

    @Sendable package func take(_ event: StreamEvent, of session: SessionID, from device: DeviceID)
    {
        if !session.isImported { webhooks?.take(event, of: session, from: device) }
        alerts.take(event, of: session, from: device)
        deliveries.take(event, of: session, from: device)
        guard let line = Self.line(event) else { return }
        write(line, of: session, from: device)
    }

    private typealias Line = (event: JournalEvent, level: Logger.Level, text: Logger.Message)

    private func write(_ line: Line, of session: SessionID, from device: DeviceID) {
        let verdict = limiters.withLock { limiters in
            // Lines about missing frames must not use up the limit for calls for help.
            line.event == .alert
                ? limiters.alerts.admit(device, at: clock())
                : limiters.others.admit(device, at: clock())
        }
        guard verdict != .leaveOut else { return }
        let place: Logger.Metadata = [
            "session": "\(session)", "device": "\(accounts.name(of: device))",
        ]
        guard verdict == .write else {
            return logger.warning(
                "more than 60 lines in a minute: some of this device's are left out",
                metadata: place)
        }
        logger.log(line.event, line.level, line.text, place)
    }

    /// The line for an event; `nil` for most events, which are not written.
    private static func line(_ event: StreamEvent) -> Line? {
        switch event.kind {
        case .alert(let alert) where alert.severity == .emergency:
            (.alert, .warning, "alert: \(alert.kind.name) \(alert.phase.name)")
        case .gap(let from, let to):
            (.framesMissing, .info, "frames \(from.rawValue) to \(to.rawValue) never came")
        case .ended: (.sessionOver, .info, "session over")
        default: nil
        }
    }
}
