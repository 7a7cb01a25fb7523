import Registry
package import Runtime
import SegmentLog
import SensorModel
import Sharing
package import Transport

/// Endpoints of the admin socket, for the commands. Every process that can open the socket has full
/// access.
package struct AdminRoutes: Sendable {
    package let administration: Administration
    package let sessions: SessionRoutes
    package let pipeline: Pipeline
    package let commands: CommandService
    package let receivers: ReceiverService
    package let deliveries: DeliveryService
    /// Prefix of links.
    package let publicURL: @Sendable () -> String

    package init(
        administration: Administration, sessions: SessionRoutes, pipeline: Pipeline,
        commands: CommandService, receivers: ReceiverService,
        deliveries: DeliveryService,
        publicURL: @escaping @Sendable () -> String
    ) {
        self.administration = administration
        self.sessions = sessions
        self.pipeline = pipeline
        self.commands = commands
        self.receivers = receivers
        self.deliveries = deliveries
        self.publicURL = publicURL
    }

    package func add(to router: inout Router) {
        addDevices(to: &router)
        addShares(to: &router)
        addShareLinks(to: &router)
        sessions.add(to: &router)
        router.add(.post, "/devices/:name/commands") { request in
            await answer {
                let device = try administration.known(name(of: request))
                return try await commands.answer(request, for: device)
            }
        }
        router.add(.post, "/devices/:name/setup") { request in
            await answer {
                try SetupService(
                    administration: administration, catalog: administration.catalog,
                    publicURL: publicURL
                ).answer(request, forDeviceNamed: name(of: request))
            }
        }
        router.add(.get, "/devices/:name/training") { request in
            await answer {
                let device = try administration.known(name(of: request))
                return try await TrainingService(sessions: sessions).answer(request, for: device)
            }
        }
        addReceivers(to: &router)
        addDeliveries(to: &router)
        PlaceRoutes(administration: administration).add(to: &router)
        AgreementRoutes(administration: administration).add(to: &router)
        PlaybackRoutes(
            administration: administration, pipeline: pipeline, clock: sessions.clock
        ).add(to: &router)
    }

    // MARK: Devices

    private struct NameBody: Decodable {
        let device: String
    }

    private struct Credentials: Encodable {
        let device: String
        let token: String
        /// Names of the targets that get its runs, and of the receivers that are told of alerts: who
        /// held an earlier token may have set them. Absent for a new device.
        var targets: [String]?
        var receivers: [String]?
    }

    private struct Deletion: Encodable {
        let device: String
        let sessionsErased: Int
        let bytesErased: Int
    }

    private func addDevices(to router: inout Router) {
        router.add(.get, "/devices") { _ in await answer { try listDevices() } }
        router.add(.post, "/devices") { request in
            await answer {
                let body = try JSONBody.decode(NameBody.self, of: request)
                let made = try administration.addDevice(named: body.device)
                return JSONBody.response(
                    Credentials(device: made.device.name, token: made.token), status: 201)
            }
        }
        router.add(.post, "/devices/:name/rotate") { request in
            await answer {
                let made = try administration.rotateDevice(named: name(of: request))
                var row = Credentials(device: made.device.name, token: made.token)
                let accounts = administration.accounts
                row.targets = try accounts.targets(of: made.device.id).map(\.name)
                row.receivers = try accounts.receivers(of: made.device.id).map(\.name)
                return JSONBody.response(row)
            }
        }
        router.add(.post, "/devices/:name/revoke") { request in
            await answer {
                try administration.revokeDevice(named: name(of: request))
                return HTTPResponse(status: 204)
            }
        }
        router.add(.delete, "/devices/:name") { request in
            await answer {
                let name = name(of: request)
                let erased = try await administration.deleteDevice(named: name)
                return JSONBody.response(
                    Deletion(
                        device: name, sessionsErased: erased.sessions,
                        bytesErased: erased.bytes))
            }
        }
        router.add(.get, "/devices/:name/profile") { request in
            await answer {
                let device = try administration.known(name(of: request))
                return JSONBody.response(ProfileBody(device))
            }
        }
        router.add(.patch, "/devices/:name/profile") { request in
            await answer {
                let device = try administration.known(name(of: request))
                let body = try JSONBody.decode(ProfileBody.self, of: request)
                return JSONBody.response(ProfileBody(try administration.apply(body, to: device)))
            }
        }
    }

    private func listDevices() throws -> HTTPResponse {
        let counts = administration.catalog.counts
        let (lastSeen, courses) = administration.accounts.withState { ($0.lastSeen, $0.courses) }
        return JSONBody.response(
            administration.accounts.devices.map { device in
                DeviceRow(
                    device, lastSeen: lastSeen[device.id] ?? device.lastSeenAt,
                    sessions: counts[device.id] ?? 0, hasCourse: courses[device.id] != nil)
            })
    }

    // MARK: Receivers and deliveries

    /// Adds a route of a device.
    private func addOfDevice(
        _ method: HTTPRequest.Method, _ path: String, to router: inout Router,
        _ work: @escaping @Sendable (HTTPRequest, Device) async throws -> HTTPResponse
    ) {
        router.add(method, "/devices/:name" + path) { request in
            await answer { try await work(request, try administration.known(name(of: request))) }
        }
    }

    private func addReceivers(to router: inout Router) {
        let path = "/receivers"
        addOfDevice(.get, path, to: &router) { try receivers.list($1) }
        addOfDevice(.put, path + "/:receiver", to: &router) { try receivers.put($0, of: $1) }
        addOfDevice(.delete, path + "/:receiver", to: &router) {
            try await receivers.remove($0, of: $1)
        }
        addOfDevice(.post, path + "/:receiver/test", to: &router) {
            try await receivers.test($0, of: $1)
        }
    }

    private func addDeliveries(to router: inout Router) {
        addOfDevice(.get, "/archive", to: &router) { request, device in
            let documents = OwnDocuments(
                administration: administration, receivers: receivers, deliveries: deliveries,
                publicURL: publicURL)
            return try DeviceArchive(
                of: device, documents: documents.files(of: device), sessions: sessions,
                format: try SessionRoutes.format(of: request), isAllowed: { _ in true }
            ).response
        }
        addOfDevice(.get, "/targets", to: &router) { try deliveries.targets(of: $1) }
        addOfDevice(.put, "/targets/:target", to: &router) { try deliveries.put($0, of: $1) }
        addOfDevice(.delete, "/targets/:target", to: &router) { try deliveries.remove($0, of: $1) }
        addOfDevice(.get, "/deliveries", to: &router) { try deliveries.list($1) }
        addOfDevice(.post, "/deliveries", to: &router) { try await deliveries.send($0, of: $1) }
    }

    // MARK: Shares

    private func addShares(to router: inout Router) {
        router.add(.get, "/shares") { _ in
            await answer { JSONBody.response(administration.accounts.shares.map(row)) }
        }
        router.add(.post, "/shares") { request in
            await answer {
                let body = try JSONBody.decode(ShareBody.self, of: request)
                let device = try administration.known(body.device ?? "")
                let made = try administration.createShare(
                    try body.shareRequest(), of: .device(device.id), stem: device.name)
                return JSONBody.response(link(made.share, made.id), status: 201)
            }
        }
        router.add(.post, "/shares/group") { request in
            await answer {
                let body = try JSONBody.decode(ShareBody.self, of: request)
                guard body.scope == nil, body.delay == nil else {
                    throw APIRefusal.badField(
                        name: body.scope == nil ? "delay" : "scope",
                        allowed: "nothing: a group shows what each of its shares shows")
                }
                let members = try (body.shares ?? []).map { try share($0).key }
                let made = try administration.createShare(
                    try body.shareRequest(), of: .group(members), stem: "group")
                return JSONBody.response(link(made.share, made.id), status: 201)
            }
        }
        router.add(.get, "/shares/:name") { request in
            await answer { JSONBody.response(row(try share(name(of: request)))) }
        }
        router.add(.get, "/shares/:name/opens") { request in
            await answer {
                let share = try share(name(of: request))
                let entries = try administration.accounts.audit(of: share.key)
                return JSONBody.response(entries.map(OpenRow.init))
            }
        }
    }

    private func addShareLinks(to router: inout Router) {
        router.add(.post, "/shares/:name/reveal") { request in
            await answer { try reveal(name(of: request)) }
        }
        router.add(.post, "/shares/:name/revoke") { request in
            await answer {
                try administration.revokeShare(try share(name(of: request)))
                return HTTPResponse(status: 204)
            }
        }
        router.add(.post, "/shares/:name/rotate") { request in
            await answer {
                let made = try administration.rotateShare(try share(name(of: request)))
                return JSONBody.response(link(made.share, made.id))
            }
        }
        router.add(.post, "/shares/:name/code") { request in
            await answer {
                try CodeService(administration: administration).issue(
                    request, for: try share(name(of: request)))
            }
        }
    }

    private func reveal(_ name: String) throws -> HTTPResponse {
        let share = try share(name)
        guard let id = administration.accounts.secretID(of: share.key) else {
            throw APIRefusal.conflict(
                "the link was sealed under another master key: make a new one with share rotate")
        }
        administration.accounts.note(
            .revealed, of: share.key, from: nil, at: administration.clock())
        return JSONBody.response(link(share, id))
    }

    private func share(_ text: String) throws -> Share {
        try administration.share(namedOrID: text)
    }

    private func row(_ share: Share) -> ShareRow {
        let accounts = administration.accounts
        return ShareRow(
            share, device: share.device.flatMap { accounts.device($0)?.name },
            viewers: accounts.viewerCounts(of: share.key), at: administration.clock())
    }

    private func link(_ share: Share, _ id: ShareID) -> ShareLink {
        ShareLink(
            share, id: id, at: publicURL(),
            device: share.device.flatMap { administration.accounts.device($0)?.name },
            warning: administration.warning(about: share))
    }

    private func name(of request: HTTPRequest) -> String { request.parameters["name"] ?? "" }
}
