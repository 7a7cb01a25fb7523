import API
import Logging
import Runtime
import SegmentLog
import SensorModel
import Transport

/// Assembles the listeners: sockets, routes and limits.
struct Listeners {
    let configuration: Configuration
    let state: StateFolder
    let environment: [String: String]
    let pipeline: Pipeline
    let accounts: Accounts
    let administration: Administration
    let pushes: PushService
    let alerts: AlertCenter
    let alertTeller: AlertTeller
    let deliveries: DeliveryCenter
    let deliverySender: DeliverySender
    let health: Health
    let identity: TLSIdentity?
    let address: PublicAddress
    let pages: PageCache
    let settings: RunningSettings
    let logger: Logger
    let waitingCommands = WaitingCommands()
    let adminSessions = AdminSessions()

    /// - Parameter descriptors: Sockets that systemd opened; they replace the daemon's own.
    /// - Returns: A server that does not listen yet.
    /// - Throws: An error that says what is wrong with a listener's settings.
    func server(descriptors: ListenDescriptors) throws -> TransportServer {
        let service = Self.viewers(pipeline, accounts)
        let devices = DeviceService(
            accounts: accounts, catalog: pipeline.catalog, clock: WallClock.now, logger: logger)
        return TransportServer(
            loops: pipeline.loops,
            listeners: [
                listener("device", configuration.device, descriptors, .device),
                listener("http", configuration.httpListener, descriptors, .http(http(service))),
                listener(
                    "operations", configuration.operations, descriptors,
                    .http(operationsRouter()), connections: .operations),
                admin(descriptors),
            ],
            devices: devices, viewers: service)
    }

    static func viewers(_ pipeline: Pipeline, _ accounts: Accounts) -> ViewerService {
        ViewerService(
            accounts: accounts, reader: pipeline.reader, playbacks: pipeline.playbacks,
            clock: WallClock.now)
    }

    private func listener(
        _ name: String, _ settings: Configuration.Listener, _ descriptors: ListenDescriptors,
        _ service: ListenerConfiguration.Service, connections: ConnectionClass? = nil
    ) -> ListenerConfiguration {
        let given = descriptors.descriptors[name].map(ListenAddress.descriptor)
        return ListenerConfiguration(
            name: name, address: given ?? .tcp(host: settings.host, port: settings.port),
            service: service, identity: settings.tls ? identity : nil, limits: limits,
            connections: connections,
            trustedProxies: configuration.http.trustedProxies.compactMap(PeerAddress.init),
            allowedOrigins: allowedOrigins,
            securityHeaders: Self.securityHeaders)
    }

    /// Origins that may open WebSockets. Behind a proxy the daemon's own origin is that of its
    /// links, whatever `Host` says.
    private var allowedOrigins: [String] {
        let publicURL = configuration.http.publicURL
        let parts = publicURL.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let own = parts.count > 2 ? [parts[..<3].joined(separator: "/")] : []
        return configuration.http.allowedOrigins + own
    }

    private func admin(_ descriptors: ListenDescriptors) -> ListenerConfiguration {
        let path = state.adminSocket(
            configured: configuration.adminSocket, environment: environment)
        var router = administrationRouter()
        ListenerRoutes(address).add(to: &router)
        operations.add(to: &router)
        adminPage.addLinks(to: &router)
        RecoveryDrill(environment: environment, pipeline: pipeline)?.add(to: &router)
        return ListenerConfiguration(
            name: "admin", address: .unixSocket(path: path),
            spareSocket: { [state] in state.spareSocket(isMade: true) }, service: .http(router),
            limits: limits)
    }

    /// What the commands and the administration page use; changes run on their own thread.
    private func administrationRouter() -> Router {
        var router = Router()
        AdminRoutes(
            administration: administration, sessions: sessions, pipeline: pipeline,
            commands: commands, receivers: receivers, deliveries: deliveryService,
            publicURL: { [address] in address.url }
        ).add(to: &router)
        HealthRoutes(
            health: health, pipeline: pipeline, state: state,
            settings: { [settings] in settings.withLock { $0 } }
        ).add(to: &router)
        router.wrapChanges { [changes = administration.changes] in await changes.run($0) }
        return router
    }

    var adminPage: AdminPageRoutes {
        AdminPageRoutes(
            administration: administration, sessions: adminSessions, pages: pages,
            address: address)
    }

    private func http(_ service: ViewerService) -> Router {
        let shares = ShareRoutes(
            service: service, pipeline: pipeline, accounts: accounts, clock: WallClock.now)
        var router = Router()
        router.notFound = { request in
            OwnerRoutes.refusal(ofPath: request.path) ?? ShareRefusal.unknown.response
        }
        router.add(.get, "/v1/device", .deviceSocket)
        shares.add(to: &router)
        PageRoutes(cache: pages, shares: shares, administration: administration)
            .add(to: &router)
        AlertRoutes(alerts: alerts, administration: administration, pages: pages)
            .add(to: &router)
        OwnerRoutes(
            administration: administration, sessions: sessions, commands: commands, pushes: pushes,
            receivers: receivers, deliveries: deliveryService,
            publicURL: { [address] in address.url }
        ).add(to: &router)
        PushRoutes(
            service: pushes, accounts: accounts, commands: waitingCommands,
            pipeline: pipeline, clock: WallClock.now
        ).add(to: &router)
        PulsoidRoutes(shares: shares).add(to: &router)
        HypeRateRoutes(shares: shares).add(to: &router)
        OpenAPIRoutes().add(to: &router)
        adminPage.add(to: &router, using: administrationRouter())
        if configuration.http.echo { router.add(.get, "/echo", .echo) }
        return router
    }

    private func operationsRouter() -> Router {
        var router = Router()
        operations.add(to: &router)
        return router
    }

    private var operations: OperationsRoutes {
        OperationsRoutes(
            pipeline: pipeline, accounts: accounts, health: health, pushes: pushes.counters)
    }

    private var receivers: ReceiverService {
        ReceiverService(administration: administration, teller: alertTeller, alerts: alerts)
    }

    private var deliveryService: DeliveryService {
        DeliveryService(
            administration: administration, sessions: sessions, sender: deliverySender,
            center: deliveries)
    }

    private var sessions: SessionRoutes {
        SessionRoutes(
            administration: administration, pipeline: pipeline, clock: WallClock.now)
    }

    private var commands: CommandService {
        CommandService(pipeline: pipeline, waiting: waitingCommands, clock: WallClock.now)
    }

    private var limits: ConnectionLimits { Self.limits(configuration) }

    static func limits(_ configuration: Configuration) -> ConnectionLimits {
        var limits = ConnectionLimits()
        limits.connectionsMax = OpenFiles.room(for: configuration.bounds.connectionsMax)
        limits.unauthenticatedMax = configuration.bounds.unauthenticatedMax
        limits.connectionsPerAddressMax = configuration.bounds.perAddressMax
        limits.headerBytesMax = configuration.bounds.headerBytesMax
        limits.bodyBytesMax = configuration.bounds.bodyBytesMax
        limits.idleSeconds = Int(configuration.bounds.idleSeconds)
        limits.helloSeconds = Int(configuration.ingest.helloSeconds)
        limits.webSocketMessageBytesMax = configuration.bounds.messageBytesMax
        limits.textLineBytesMax = configuration.bounds.lineBytesMax
        limits.headerSeconds = Int(configuration.bounds.handshakeSeconds)
        limits.framesPerSecondMax = configuration.ingest.framesPerSecondMax
        return limits
    }

    private static let securityHeaders: HTTPFields = [
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
    ]
}
