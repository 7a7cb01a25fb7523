import API
import Logging
import Runtime
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
    /// `nil`: the daemon is in no cluster.
    let leadership: Leadership?
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
        ClusterRoutes(
            report: { [leadership] in leadership?.report },
            stepDown: { [leadership] in
                leadership?.stepDown()
                return leadership != nil
            }
        ).add(to: &router)
        RecoveryDrill(environment: environment, pipeline: pipeline)?.add(to: &router)
        return ListenerConfiguration(
            name: "admin", address: .unixSocket(path: path),
            spareSocket: { [state] in state.spareSocket(isMade: true) }, service: .http(router),
            limits: limits)
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
