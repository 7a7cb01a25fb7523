package import Logging
import MQTT
package import Runtime
import SensorModel
import Synchronization

/// The daemon's connection to an MQTT broker: shares and alerts go out, positions of OwnTracks come
/// in.
package final class MQTTService: Sendable {
    private let broker: BrokerClient
    private let topics: MQTTTopics
    private let publisher: SharePublisher
    private let inbox: OwnTracksInbox
    /// Takes alerts to the broker.
    package let alerts: AlertPublisher
    private let logger: Logger
    /// Whether the journal was told last that there is a connection; `nil`: nothing yet.
    private let told = Mutex<Bool?>(nil)

    /// Memory of everything that others make it hold, for the budget.
    package static var bytesMax: Int { OwnTracksInbox.bytesMax }

    /// `nil` if no broker is configured.
    ///
    /// - Parameters:
    ///   - settings: The owner's settings.
    ///   - environment: Environment with systemd's credentials.
    ///   - shares: Reads the snapshots of shares.
    ///   - pushes: Records the requests of applications.
    ///   - center: The alerts that there are.
    ///   - logger: Logger of the journal.
    /// - Throws: The error of reading the password.
    package init?(
        _ settings: Configuration.MQTT, environment: [String: String], shares: ShareRoutes,
        pushes: PushRoutes, alerts center: AlertCenter, logger: Logger
    ) throws {
        guard !settings.host.isEmpty else { return nil }
        self.logger = logger
        topics = MQTTTopics(settings)
        let sources = settings.ownTracks.compactMap(OwnTracksSource.init)
        broker = BrokerClient(
            try Self.broker(settings, topics, sources, environment: environment),
            clock: { Double(WallClock.monotonicMicroseconds()) / 1e6 })
        publisher = SharePublisher(
            names: settings.shares, topics: topics, administration: pushes.service.administration,
            routes: shares, broker: broker, logger: logger)
        inbox = OwnTracksInbox(sources, routes: pushes, logger: logger)
        alerts = AlertPublisher(
            settings.alerts, topics: topics, broker: broker,
            administration: pushes.service.administration, alerts: center)
        if settings.authoritiesFile.isEmpty, !ConfigurationLoader.isLoopback(settings.host) {
            logger.warning(
                """
                values of shares and the password go to the MQTT broker in the clear: set \
                mqtt.ca_file
                """)
        }
    }

    private static func broker(
        _ settings: Configuration.MQTT, _ topics: MQTTTopics, _ sources: [OwnTracksSource],
        environment: [String: String]
    ) throws -> BrokerSettings {
        let password = try SecretFile.bytes(
            configured: settings.passwordFile, credential: "mqtt-password",
            environment: environment)
        var broker = BrokerSettings(
            host: settings.host, port: settings.port, clientID: topics.clientID,
            statusTopic: topics.status, ownTopics: [topics.allStates, topics.allAlerts],
            topics: sources.map(\.topic))
        if !settings.authoritiesFile.isEmpty { broker.authoritiesFile = settings.authoritiesFile }
        if !settings.user.isEmpty { broker.user = settings.user }
        if !password.isEmpty { broker.password = String(decoding: password, as: UTF8.self) }
        return broker
    }

    package func start() {
        broker.start(
            BrokerClient.Callbacks(
                received: { [self] in take($0) }, changed: { [self] in report($0) }))
        publisher.start()
        alerts.start()
    }

    /// Says goodbye to the broker; a broker that does not answer is waited for 2 s.
    package func stop() {
        publisher.stop()
        alerts.stop()
        broker.stop()
        inbox.stop()
    }

    // MARK: Thread mqtt

    private func take(_ message: BrokerMessage) -> Bool {
        if let place = topics.place(ofAlert: message.topic) {
            alerts.note(message, at: place)
            return true
        }
        guard let part = topics.part(ofState: message.topic) else { return inbox.take(message) }
        publisher.sweep(message, of: part)
        return true
    }

    private func report(_ change: BrokerClient.Change) {
        switch change {
        case .connected:
            // Of connections that end at once only the first is told.
            let isNews = told.withLock { told in
                defer { told = true }
                return told != true
            }
            guard isNews else { return }
            logger.notice("connected to the MQTT broker")
        case .disconnected(let reason, let attempts):
            // The first failure is told; those behind it are of the same outage.
            guard attempts == 1 else { return }
            told.withLock { $0 = false }
            logger.warning("no connection to the MQTT broker, trying again: \(reason)")
        case .refused(let what, let reason):
            logger.warning("the MQTT broker refuses \(what): \(reason); see its access list")
        }
    }
}
