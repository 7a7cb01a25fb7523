import Logging
import MQTT
import Runtime
import SensorModel
import Sharing
import Synchronization
import Transport

/// Publishes what shares show. It is a viewer like every other: it reads the snapshots that
/// `/latest` answers with, once a second, and has no filter of its own.
final class SharePublisher: Sendable {
    private static let secondsBetween = 1.0
    /// A state that is not renewed is forgotten by the broker: a link may end while the daemon
    /// cannot reach it.
    private static let stateSeconds = 600
    /// Longer for the announcement: Home Assistant may start again while the daemon is away.
    private static let announcementSeconds = 86_400

    private let administration: Administration
    private let routes: ShareRoutes
    private let topics: MQTTTopics
    private let names: [String]
    private let broker: BrokerClient
    private let logger: Logger
    private let work = Mutex<[Task<Void, Never>]>([])

    init(
        names: [String], topics: MQTTTopics, administration: Administration, routes: ShareRoutes,
        broker: BrokerClient, logger: Logger
    ) {
        self.names = names
        self.topics = topics
        self.administration = administration
        self.routes = routes
        self.broker = broker
        self.logger = logger
    }

    func start() {
        work.withLock { tasks in
            // Each has a task of its own: a slow reading of one share holds up no other.
            tasks = names.map { name in Task { [self] in await publish(name) } }
        }
    }

    func stop() {
        for task in work.withLock({ $0 }) { task.cancel() }
    }

    private func publish(_ name: String) async {
        var problem: String?
        while !Task.isCancelled {
            if broker.isConnected {
                let found = await look(at: name)
                if let found, found != problem {
                    logger.warning(
                        "a share is not published over MQTT: \(found)",
                        metadata: ["share": "\(name)"])
                }
                problem = found
            }
            do { try await Task.sleep(for: .seconds(Self.secondsBetween)) } catch { return }
        }
    }

    /// Publishes a share once.
    ///
    /// - Returns: Why nothing is published; `nil`: it is, or the newest values are not known now.
    private func look(at name: String) async -> String? {
        let part = MQTTTopics.part(name)
        let share: Share
        // The journal has names as hashes, so the errors' own texts are not used.
        do { share = try administration.share(namedOrID: name) } catch {
            clear(part)
            return error is ShareError
                ? "several devices have one of this name: write DEVICE:NAME" : "there is none"
        }
        guard share.device != nil else {
            clear(part)
            return "it is a group; name the shares of its members"
        }
        guard share.isActive(at: administration.clock()) else {
            clear(part)
            return "it is revoked or has expired"
        }
        guard let snapshots = try? await routes.snapshots(of: share, for: .unixSocket) else {
            return nil
        }
        guard let state = snapshots.first.flatMap(ShareState.init), !Task.isCancelled else {
            clear(part)
            return nil
        }
        put(state, of: share, part)
        return nil
    }

    private func put(_ state: ShareState, of share: Share, _ part: String) {
        guard let payload = JSONBody.bytes(state) else { return }
        // The state comes first: it is how the announcement is found when it is to be cleared.
        broker.put(
            BrokerMessage(
                topic: topics.state(part), payload: payload, secondsKept: Self.stateSeconds))
        let message = DiscoveryMessage(share, part: part, topics: topics)
        guard let topic = topics.discovery(part), let payload = JSONBody.bytes(message) else {
            return
        }
        broker.put(
            BrokerMessage(
                topic: topic, payload: payload, secondsKept: Self.announcementSeconds))
    }

    /// Takes a share away from the broker.
    private func clear(_ part: String) {
        if let topic = topics.discovery(part) {
            broker.put(BrokerMessage(topic: topic, payload: []))
        }
        broker.put(BrokerMessage(topic: topics.state(part), payload: []))
    }

    /// Takes a message from the topics of states: one that the broker kept, of a share that is not
    /// published any more, is cleared.
    func sweep(_ message: BrokerMessage, of part: String) {
        guard message.isRetained, !message.payload.isEmpty,
            !names.contains(where: { MQTTTopics.part($0) == part })
        else { return }
        clear(part)
    }
}
