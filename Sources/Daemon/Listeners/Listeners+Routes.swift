import API
import Runtime
import Transport

/// The routes of each listener.
extension Listeners {
    /// What the commands and the administration page use; changes run on their own thread.
    func administrationRouter() -> Router {
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

    func http(_ service: ViewerService) -> Router {
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

    func operationsRouter() -> Router {
        var router = Router()
        operations.add(to: &router)
        return router
    }

    var operations: OperationsRoutes {
        OperationsRoutes(
            pipeline: pipeline, accounts: accounts, health: health, pushes: pushes.counters,
            cluster: { [leadership] in leadership?.report })
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
}
