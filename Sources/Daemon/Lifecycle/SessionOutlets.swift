import API
import Logging
import Runtime
import SensorModel

/// Who is told of sessions besides viewers: the owner's systems, receivers of alerts, and targets
/// of finished runs.
struct SessionOutlets: Sendable {
    let webhooks: Webhooks?
    let alerts: AlertCenter
    let deliveries: DeliveryCenter
    let notifier: SessionNotifier

    /// - Throws: An error that says what is wrong with the webhook's settings.
    init(
        _ configuration: Configuration, environment: [String: String], accounts: Accounts,
        logger: Logger
    ) throws {
        webhooks = try Webhooks(
            configuration.webhook, environment: environment, accounts: accounts, logger: logger)
        alerts = AlertCenter(accounts: accounts, logger: logger, clock: WallClock.now)
        deliveries = DeliveryCenter(accounts: accounts, logger: logger, clock: WallClock.now)
        notifier = SessionNotifier(
            accounts: accounts, webhooks: webhooks, alerts: alerts, deliveries: deliveries,
            logger: logger, clock: WallClock.now)
    }

    /// Drops what waits of sessions that are being erased.
    @Sendable func erase(_ sessions: Set<SessionID>) {
        webhooks?.erase(sessions)
        alerts.erase(sessions)
        deliveries.erase(sessions)
    }
}
