import API
import Glibc
import Logging
import Runtime
import SensorModel
import Synchronization
import Transport

/// Answers in place of a daemon while the disk cannot provide its state, or while another node of
/// the cluster leads: `/readyz` says why, devices are told to come back (1013), and every other
/// request gets 503.
///
/// Without it the socket of a socket unit would accept connections that nobody answers.
final class WaitingServer: Sendable {
    private static let retryAfterSeconds = 5

    private let loops: LoopGroup
    private let server: TransportServer
    private let notifier: SystemdNotifier
    private let logger: Logger
    private let reason = Reason()

    /// Why the daemon does not answer itself.
    private final class Reason: Sendable {
        let text = Mutex("starting")
    }

    /// - Parameters:
    ///   - configuration: Checked configuration.
    ///   - environment: Environment with systemd's variables.
    ///   - node: The node, if it stands by in a cluster: it answers `pulsecast cluster status`.
    ///   - logger: Logger of the journal.
    /// - Throws: An error that says what is wrong with a certificate.
    init(
        _ configuration: Configuration, environment: [String: String], node: ClusterNode? = nil,
        logger: Logger
    ) throws {
        let processID = getpid()
        notifier = SystemdNotifier(environment: environment, processID: processID)
        self.logger = logger
        loops = LoopGroup(published: { 0 }, arrivalClock: WallClock.now)
        let identity = try PulsecastDaemon.identity(configuration, environment: environment)
        let given = ListenDescriptors(environment: environment, processID: processID).descriptors
        let limits = Listeners.limits(configuration)
        func listener(
            _ name: String, _ settings: Configuration.Listener,
            _ service: ListenerConfiguration.Service, _ connections: ConnectionClass? = nil
        ) -> ListenerConfiguration {
            // A copy of the descriptor: the socket stays open when this server ends.
            let descriptor = given[name].map { ListenAddress.descriptor(dup($0)) }
            return ListenerConfiguration(
                name: name, address: descriptor ?? .tcp(host: settings.host, port: settings.port),
                service: service, identity: settings.tls ? identity : nil, limits: limits,
                connections: connections)
        }
        let gate = ClosedGate(refusal: .unavailable)
        let operations = Self.operations(reason, node)
        server = TransportServer(
            loops: loops,
            listeners: [
                listener("device", configuration.device, .device),
                listener("http", configuration.httpListener, .http(Self.unavailable)),
                listener("operations", configuration.operations, .http(operations), .operations),
            ]
                + (node.map { node in
                    let path = node.state.adminSocket(
                        configured: configuration.adminSocket, environment: environment)
                    var router = operations
                    ClusterRoutes(report: { node.report }).add(to: &router)
                    router.notFound = { _ in
                        let leader = node.report?.leader ?? ""
                        return .failure(
                            status: 503,
                            reason: "this node stands by: ask the one that leads, "
                                + (leader.isEmpty ? "which is not known now" : leader))
                    }
                    return [
                        ListenerConfiguration(
                            name: "admin", address: .unixSocket(path: path),
                            service: .http(router), limits: limits)
                    ]
                } ?? []), devices: gate, viewers: gate)
    }

    /// Sets the trouble, and logs it if it is new; any thread.
    func set(_ trouble: DiskTrouble) {
        set("the state folder cannot be used: \(trouble); \(trouble.advice)", .critical)
    }

    /// Sets why the daemon does not answer, and logs it if it is new; any thread.
    func set(_ text: String, _ level: Logger.Level) {
        let isNew = reason.text.withLock { reason in
            defer { reason = text }
            return reason != text
        }
        guard isNew else { return notifier.send(.watchdog) }
        logger.log(.waiting, level, "not started: \(text)")
        notifier.send(.watchdog, .status("waiting: \(text)"))
    }

    func feedWatchdog() { notifier.send(.watchdog) }

    /// - Returns: The addresses by the listener's name.
    func start() async throws -> [String: String] {
        let addresses = try await server.start()
        notifier.send(.ready)
        return addresses
    }

    func stop() async {
        await server.stopListening()
        await server.closeAll(.restarting, withinSeconds: 0.5)
        await loops.shutdown()
    }

    private static var unavailable: Router {
        var router = Router()
        router.notFound = { _ in
            let code = CloseCode.tryAgainLater
            return .failure(
                status: 503, code: Int(code.rawValue), reason: code.reason,
                fields: ["Retry-After": String(retryAfterSeconds)])
        }
        return router
    }

    private static func operations(_ reason: Reason, _ node: ClusterNode?) -> Router {
        var router = Router()
        router.add(.get, "/healthz") { _ in .text("ok\n") }
        router.add(.get, "/readyz") { _ in
            .text(reason.text.withLock { $0 } + "\n", status: 503)
        }
        router.add(.get, "/metrics") { _ in
            guard let node else {
                return .text("pulsecast_log_failed 1\npulsecast_registry_failed 1\n")
            }
            return .text(node.report?.metrics ?? "pulsecast_cluster_leading 0\n")
        }
        return router
    }
}
