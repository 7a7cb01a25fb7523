import API
import Logging
import Runtime

extension PulsecastDaemon {
    /// - Returns: `nil` if no broker is configured.
    /// - Throws: The error of reading the password.
    static func mqtt(
        _ configuration: Configuration, environment: [String: String], _ pushes: PushService,
        _ accounts: Accounts, _ pipeline: Pipeline, _ alerts: AlertCenter, logger: Logger
    ) throws -> MQTTService? {
        try MQTTService(
            configuration.mqtt, environment: environment,
            shares: ShareRoutes(
                service: Listeners.viewers(pipeline, accounts), pipeline: pipeline,
                accounts: accounts, clock: WallClock.now),
            // Commands reach a phone in answers to its requests: a broker has none.
            pushes: PushRoutes(
                service: pushes, accounts: accounts, commands: WaitingCommands(),
                pipeline: pipeline, clock: WallClock.now),
            alerts: alerts, logger: logger)
    }
}
