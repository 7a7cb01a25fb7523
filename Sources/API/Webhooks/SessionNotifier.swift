package import Logging
package import Runtime
package import SensorModel
import Sharing
import Synchronization

/// Writes notable events of a session to the journal, and sends the events of webhooks to the
/// owner's systems. Any thread.
package final class SessionNotifier: Sendable {
    private let accounts: Accounts
    private let webhooks: Webhooks?
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    private let limiter = Mutex(NoticeLimiter())

    package init(
        accounts: Accounts, webhooks: Webhooks?, logger: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.accounts = accounts
        self.webhooks = webhooks
        self.logger = logger
        self.clock = clock
    }

    @Sendable package func take(_ event: StreamEvent, of session: SessionID, from device: DeviceID)
    {
        webhooks?.take(event, of: session, from: device)
        guard let line = Self.line(event) else { return }
        let place: Logger.Metadata = [
            "session": "\(session)", "device": "\(accounts.name(of: device))",
        ]
        switch limiter.withLock({ $0.admit(device, at: clock()) }) {
        case .write: logger.log(line.event, line.level, line.text, place)
        case .writeThatMoreAreLeftOut:
            logger.log(
                line.event, .warning,
                "more than a line a second: further ones of this device are left out for a minute",
                place)
        case .leaveOut: break
        }
    }

    /// Built only for events that are written: most events are not.
    private static func line(
        _ event: StreamEvent
    ) -> (event: JournalEvent, level: Logger.Level, text: Logger.Message)? {
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
