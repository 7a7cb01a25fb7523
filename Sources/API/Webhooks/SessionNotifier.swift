package import Logging
package import Runtime
package import SensorModel

/// Writes notable events of a session to the journal, and sends the events of webhooks to the
/// owner's systems.
package struct SessionNotifier: Sendable {
    package let accounts: Accounts
    package let webhooks: Webhooks?
    package let logger: Logger

    package init(accounts: Accounts, webhooks: Webhooks?, logger: Logger) {
        self.accounts = accounts
        self.webhooks = webhooks
        self.logger = logger
    }

    @Sendable package func take(_ event: StreamEvent, of session: SessionID, from device: DeviceID)
    {
        webhooks?.take(event, of: session, from: device)
        // Built only for events that are written: most events are not.
        var place: Logger.Metadata {
            ["session": "\(session)", "device": "\(accounts.name(of: device))"]
        }
        switch event.kind {
        case .alert(let alert) where alert.severity == .emergency:
            logger.log(.alert, .warning, "alert: \(alert.kind.name) \(alert.phase.name)", place)
        case .gap(let from, let to):
            logger.log(
                .framesMissing, .info,
                "frames \(from.rawValue) to \(to.rawValue) never came", place)
        case .ended: logger.log(.sessionOver, .info, "session over", place)
        default: break
        }
    }
}
