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
    /// Seconds for a reading; it does not wait for a slow disk.
    private static let answerSeconds = 3.0
    /// Readings in a row without an answer after which nothing is shown any more.
    private static let failuresMax = 5
    private static let nothing = Array("{}".utf8)

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
        let part = MQTTTopics.part(name)
        var (problem, failures) = (String?.none, 0)
        while !Task.isCancelled {
            if broker.isConnected {
                let outcome = await look(at: name, part)
                failures = outcome == .unknown ? failures + 1 : 0
                // What was shown before must not stay: it may be hidden by now.
                if failures >= Self.failuresMax, let nothing = ShareState(snapshot: Self.nothing) {
                    put(nothing, part)
                }
                if case .missing(let found) = outcome {
                    clear(part)
                    if found != problem { complain(found, of: name) }
                    problem = found
                } else {
                    problem = nil
                }
            }
            do { try await Task.sleep(for: .seconds(Self.secondsBetween)) } catch { return }
        }
    }

    private enum Outcome: Hashable {
        case published
        /// The share is over, or is none that can be published.
        case missing(String)
        /// What it shows is not known now: it has just changed, or the log cannot be read.
        case unknown
    }

    private func look(at name: String, _ part: String) async -> Outcome {
        let share: Share
        // The journal has names as hashes, so the errors' own texts are not used.
        do { share = try administration.share(namedOrID: name) } catch {
            return .missing(
                error is ShareError
                    ? "several devices have one of this name: write DEVICE:NAME" : "there is none")
        }
        guard share.device != nil else {
            return .missing("it is a group; name the shares of its members")
        }
        guard share.isActive(at: administration.clock()) else {
            return .missing("it is revoked or has expired")
        }
        let snapshot = await Deadline.value(within: Self.answerSeconds) { [routes] in
            try? await routes.snapshots(of: share, for: .unixSocket).first
        }
        guard let state = snapshot.flatMap(ShareState.init), !Task.isCancelled else {
            return .unknown
        }
        // The state comes first: it is how the announcement is found when it is to be cleared.
        put(state, part)
        announce(share, part)
        return .published
    }

    private func put(_ state: ShareState, _ part: String) {
        guard let payload = JSONBody.bytes(state) else { return }
        broker.put(
            BrokerMessage(
                topic: topics.state(part), payload: payload, secondsKept: Self.stateSeconds))
    }

    private func announce(_ share: Share, _ part: String) {
        let message = DiscoveryMessage(share, part: part, topics: topics)
        guard let topic = topics.discovery(part), let payload = JSONBody.bytes(message) else {
            return
        }
        broker.put(
            BrokerMessage(
                topic: topic, payload: payload, secondsKept: Self.announcementSeconds))
    }

    private func complain(_ problem: String, of name: String) {
        logger.warning(
            "a share is not published over MQTT: \(problem)", metadata: ["share": "\(name)"])
    }

    /// Takes a share away from the broker.
    private func clear(_ part: String, isForeign: Bool = false) {
        for topic in [topics.discovery(part), topics.state(part)].compactMap(\.self) {
            broker.put(BrokerMessage(topic: topic, payload: []), isForeign: isForeign)
        }
    }

    /// Takes a message from the topics of states: one that the broker kept, of a share that is not
    /// published any more, is cleared.
    func sweep(_ message: BrokerMessage, of part: String) {
        guard message.isRetained, !message.payload.isEmpty,
            !names.contains(where: { MQTTTopics.part($0) == part })
        else { return }
        clear(part, isForeign: true)
    }
}
