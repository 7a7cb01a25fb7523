import Glibc
import Logging
import Runtime
import SensorModel
import Synchronization
import Transport

/// Answers in place of a daemon while the disk cannot provide its state: `/readyz` says why,
/// devices are told to come back (1013), and every other request gets 503.
///
/// Without it the socket of a socket unit would accept connections that nobody answers.
final class WaitingServer: Sendable {
    private static let retryAfterSeconds = 5

    private let loops: LoopGroup
    private let server: TransportServer
    private let notifier: SystemdNotifier
    private let logger: Logger
    private let trouble: Trouble

    private final class Trouble: Sendable {
        let value = Mutex<DiskTrouble?>(nil)

        var text: String {
            guard let trouble = value.withLock({ $0 }) else { return "starting" }
            return "the state folder cannot be used: \(trouble); \(trouble.advice)"
        }
    }

    /// - Throws: An error that says what is wrong with a certificate.
    init(
        _ configuration: Configuration, environment: [String: String], logger: Logger
    ) throws {
        let processID = getpid()
        notifier = SystemdNotifier(environment: environment, processID: processID)
        self.logger = logger
        trouble = Trouble()
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
        server = TransportServer(
            loops: loops,
            listeners: [
                listener("device", configuration.device, .device),
                listener("http", configuration.httpListener, .http(Self.unavailable)),
                listener(
                    "operations", configuration.operations, .http(Self.operations(trouble)),
                    .operations),
            ], devices: gate, viewers: gate)
    }

    /// Sets the trouble, and logs it if it is new; any thread.
    func set(_ trouble: DiskTrouble) {
        let isNew = self.trouble.value.withLock { value in
            defer { value = trouble }
            return value != trouble
        }
        guard isNew else { return notifier.send(.watchdog) }
        logger.log(.waiting, .critical, "not started: \(self.trouble.text)")
        notifier.send(.watchdog, .status("waiting: \(trouble)"))
    }

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

    private static func operations(_ trouble: Trouble) -> Router {
        var router = Router()
        router.add(.get, "/healthz") { _ in .text("ok\n") }
        router.add(.get, "/readyz") { _ in .text(trouble.text + "\n", status: 503) }
        router.add(.get, "/metrics") { _ in
            .text("pulsecast_log_failed 1\npulsecast_registry_failed 1\n")
        }
        return router
    }
}
