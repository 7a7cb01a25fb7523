import Registry
package import Runtime
import SegmentLog
import SensorModel
import Sharing
package import Transport

/// Endpoints that need only the device's token. A runner can list, share and delete only the own
/// sessions.
package struct OwnerRoutes: Sendable {
    package let administration: Administration
    package let sessions: SessionRoutes
    package let commands: CommandService
    package let pushes: PushService
    package let receivers: ReceiverService
    package let deliveries: DeliveryService
    /// Prefix of links.
    package let publicURL: @Sendable () -> String

    package init(
        administration: Administration, sessions: SessionRoutes, commands: CommandService,
        pushes: PushService, receivers: ReceiverService,
        deliveries: DeliveryService,
        publicURL: @escaping @Sendable () -> String
    ) {
        self.administration = administration
        self.sessions = sessions
        self.commands = commands
        self.pushes = pushes
        self.receivers = receivers
        self.deliveries = deliveries
        self.publicURL = publicURL
    }

    private var accounts: Accounts { administration.accounts }

    /// - Returns: The answer to a request for a path below `/v1/me` that is no route, the same with
    ///   every token and without one; `nil` for other paths.
    package static func refusal(ofPath path: String) -> HTTPResponse? {
        guard path.hasPrefix("/v1/me/") else { return nil }
        return .failure(
            status: 404, reason: "no such route: /openapi.json lists the routes below /v1/me")
    }

    package func add(to router: inout Router) {
        addDevice(to: &router)
        addSessions(to: &router)
        addShares(to: &router)
        addGroups(to: &router)
        add(.post, "/commands", .memory, to: &router) { request, device in
            try await commands.answer(request, for: device)
        }
        add(.get, "/setups", to: &router) { request, device in
            try SetupService(
                administration: administration, catalog: administration.catalog,
                publicURL: publicURL
            ).all(request, for: device)
        }
        add(.get, "/training", to: &router) { request, device in
            try await TrainingService(sessions: sessions).answer(request, for: device)
        }
        add(.put, "/profile", .change, to: &router) { request, device in
            let body = try JSONBody.decode(ProfileBody.self, of: request)
            return JSONBody.response(ProfileBody(try administration.apply(body, to: device)))
        }
        addReceivers(to: &router)
        addDeliveries(to: &router)
        addPlaces(to: &router)
    }

    // MARK: The device as a whole

    private func addDevice(to router: inout Router) {
        for document in documents.answered {
            add(.get, document.path, document.subject, to: &router) { _, device in
                try document.answer(device)
            }
        }
        add(.get, "/archive", to: &router) { request, device in
            try DeviceArchive(
                of: device, documents: documents.files(of: device), sessions: sessions,
                format: try SessionRoutes.format(of: request),
                isAllowed: { now in
                    !now.isRevoked && now.tokenHash == device.tokenHash
                }
            ).response
        }
        add(.delete, "", .change, to: &router) { request, device in
            let body = try JSONBody.decode(Farewell.self, of: request)
            guard body.device == device.name else {
                throw APIRefusal.badField(
                    name: "device", allowed: "the device's own name, which confirms it")
            }
            // Who stole a token must not erase more at once than one by one in a day.
            let most = Accounts.deletionsPerDayMax
            guard administration.catalog.count(of: device.id) <= most else {
                throw APIRefusal.conflict(
                    "it has more than \(most) sessions: ask who runs this server, who erases"
                        + " it with pulsecast device delete")
            }
            try accounts.changing(device) { _ in }
            let erased = try await administration.deleteDevice(named: device.name)
            return JSONBody.response(
                SessionsErased(sessionsErased: erased.sessions, bytesErased: erased.bytes))
        }
    }

    /// Asks to erase the device and all that is known of it.
    private struct Farewell: StrictBody {
        static var fields: [String] { ["device"] }

        let device: String
    }

    private var documents: OwnDocuments {
        OwnDocuments(
            administration: administration, receivers: receivers, deliveries: deliveries,
            publicURL: publicURL)
    }

    /// Data that a route works on. All take turns with the device's other requests
    /// (``DeviceRequests``); all but ``memory`` then wait for the disk (``ChangeQueue``).
    enum Subject {
        case memory
        /// Reads the registry.
        case registry
        /// Changes the registry, or the log.
        case change
    }

    /// Adds a route that requires a device's token; its answers must not be cached.
    private func add(
        _ method: HTTPRequest.Method, _ path: String, _ subject: Subject? = nil,
        bodyBytesMax: Int = Router.bodyBytesMax, to router: inout Router,
        _ work: @escaping @Sendable (HTTPRequest, Device) async throws -> HTTPResponse
    ) {
        precondition(method == .get || subject != nil, "what does the route change?")
        let subject = subject ?? .memory
        let authenticator = OwnerAuthenticator(accounts: accounts, clock: administration.clock)
        let (changes, clock) = (administration.changes, administration.clock)
        let requests = accounts.requests
        router.add(method, "/v1/me" + path, bodyBytesMax: bodyBytesMax) { request in
            switch authenticator.device(of: request) {
            case .failure(let refusal): return refusal.response
            case .success(let device):
                var response = await answer {
                    try await requests.run(for: device.id, bodyBytes: request.body.count) {
                        guard subject != .memory else { return try await work(request, device) }
                        return try await changes.run(
                            for: device.id, changedAt: subject == .change ? clock() : nil
                        ) { try await work(request, device) }
                    }
                }
                response.fields["Cache-Control"] = "no-store"
                // The token proves the device, whatever the result of the request.
                response.proof = .device(device.id)
                return response
            }
        }
    }

    // MARK: Sessions

    private func addSessions(to router: inout Router) {
        add(.get, "/sessions", to: &router) { request, device in
            try await sessions.page(request, of: .device(device.id), path: "/v1/me/sessions")
        }
        // An import may wait long for the log, so it stays out of the queue of changes.
        add(.post, "/import", .memory, bodyBytesMax: .max, to: &router) { request, device in
            try await ImportService(
                administration: administration, pipeline: sessions.pipeline, pushes: pushes
            ).answer(request, for: device)
        }
        add(.get, "/sessions/:id", to: &router) { request, device in
            JSONBody.response(try await sessions.row(of: try session(request, of: device)))
        }
        add(.put, "/sessions/:id", .change, to: &router) { request, device in
            try sessions.changeNote(request, of: try session(request, of: device))
        }
        add(.delete, "/sessions/:id", .change, to: &router) { request, device in
            let summary = try session(request, of: device)
            let bytes = try await administration.deleteSession(
                summary.session, for: device.id)
            return JSONBody.response(SessionsErased(sessionsErased: 1, bytesErased: bytes))
        }
        add(.get, "/sessions/:id/export", to: &router) { request, device in
            try await sessions.export(request, of: try session(request, of: device))
        }
        add(.get, "/sessions/:id/report", to: &router) { request, device in
            try await sessions.report(of: try session(request, of: device))
        }
    }

    private func session(_ request: HTTPRequest, of device: Device) throws -> SessionSummary {
        try sessions.named(request, of: device.id)
    }

    // MARK: Shares

    private func addShares(to router: inout Router) {
        add(.get, "/shares", to: &router) { _, device in
            let own = accounts.withState { $0.shares.shares(of: device.id) }
            return JSONBody.response(own.map(row))
        }
        add(.post, "/shares", .change, to: &router) { request, device in
            let body = try JSONBody.decode(ShareBody.self, of: request)
            guard body.shares == nil else {
                throw APIRefusal.badField(
                    name: "shares", allowed: "nothing here: only the daemon's owner makes groups")
            }
            guard body.device == nil || body.device == device.name else {
                throw APIRefusal.badField(name: "device", allowed: "the token's own, or nothing")
            }
            let made = try administration.createShare(
                try body.shareRequest(), of: .device(device.id), stem: device.name, by: device)
            return JSONBody.response(
                ShareLink(
                    made.share, id: made.id, at: publicURL(), device: device.name,
                    warning: administration.warning(about: made.share)),
                status: 201)
        }
        add(.get, "/shares/:name/opens", .registry, to: &router) { request, device in
            let share = try share(request, of: device)
            return JSONBody.response(try accounts.audit(of: share.key).map(OpenRow.init))
        }
        add(.delete, "/shares/:name", .change, to: &router) { request, device in
            try administration.revokeShare(try share(request, of: device))
            return HTTPResponse(status: 204)
        }
        add(.post, "/shares/:name/rotate", .change, to: &router) { request, device in
            let made = try administration.rotateShare(try share(request, of: device))
            return JSONBody.response(
                ShareLink(made.share, id: made.id, at: publicURL(), device: device.name))
        }
        add(.post, "/shares/:name/code", .change, to: &router) { request, device in
            try CodeService(administration: administration).issue(
                request, for: try share(request, of: device), by: device)
        }
    }

    private func addGroups(to router: inout Router) {
        let groups = GroupService(administration: administration, publicURL: publicURL)
        add(.post, "/groups", .change, to: &router) { try groups.create($0, by: $1) }
        add(.post, "/groups/join", .change, to: &router) { try groups.join($0, by: $1) }
        add(.delete, "/groups/:group", .change, to: &router) { try groups.leave($0, by: $1) }
        add(.post, "/groups/:group/invite", .change, to: &router) { try groups.invite($0, by: $1) }
        add(.post, "/groups/:group/rotate", .change, to: &router) { try groups.rotate($0, by: $1) }
        add(.delete, "/groups/:group/members/:number", .change, to: &router) {
            try groups.removeMember($0, by: $1)
        }
    }

    /// Finds a share. Another device's share gets the same answer as an unknown one.
    private func share(_ request: HTTPRequest, of device: Device) throws -> Share {
        let name = request.parameters["name"] ?? ""
        guard let share = accounts.withState({ $0.shares.named(name, of: device.id) }) else {
            throw RegistryError.unknownShare(name)
        }
        return share
    }

    private func row(_ share: Share) -> OwnShareRow {
        let isOpen = share.isActive(at: administration.clock())
        // Members need not know of the groups that the daemon's owner makes.
        let group = accounts.withState { $0.shares.groups(of: share.key) }
            .last { $0.groupOwner != nil && $0.revokedAt == nil }
        return OwnShareRow(
            row: ShareRow(
                share, device: share.device.flatMap { accounts.device($0)?.name },
                viewers: accounts.viewerCounts(of: share.key), at: administration.clock()),
            url: isOpen
                ? accounts.secretID(of: share.key).map { share.url(at: publicURL(), id: $0) } : nil,
            group: group.map { $0.label ?? $0.name })
    }

    // MARK: Receivers

    private func addReceivers(to router: inout Router) {
        add(.put, "/receivers/:receiver", .change, to: &router) { request, device in
            try receivers.put(request, of: device)
        }
        add(.delete, "/receivers/:receiver", .change, to: &router) { request, device in
            try await receivers.remove(request, of: device)
        }
        // A test waits for another's server, so it stays out of the queue of changes.
        add(.post, "/receivers/:receiver/test", .memory, to: &router) { request, device in
            try await receivers.test(request, of: device)
        }
    }

    // MARK: Deliveries

    private func addDeliveries(to router: inout Router) {
        add(.put, "/targets/:target", .change, to: &router) { request, device in
            try deliveries.put(request, of: device)
        }
        add(.delete, "/targets/:target", .change, to: &router) { request, device in
            try deliveries.remove(request, of: device)
        }
        add(.post, "/deliveries", .change, to: &router) { request, device in
            try await deliveries.send(request, of: device)
        }
    }

    // MARK: Places

    private func addPlaces(to router: inout Router) {
        let zones = ZoneService(administration: administration)
        add(.put, "/zones", .change, to: &router) { request, device in
            let body = try JSONBody.decode(ZonesBody.self, of: request)
            return JSONBody.response(ZonesBody(try zones.replace(by: body, of: device)))
        }
        let courses = CourseService(administration: administration)
        add(.put, "/course", .change, bodyBytesMax: .max, to: &router) { request, device in
            try await sessions.pipeline.reading(request.body, of: device.id) {
                try courses.take(request.body, of: device)
            }
        }
        add(.delete, "/course", .change, to: &router) { _, device in try courses.remove(device) }
    }
}

struct SessionsErased: Encodable {
    let sessionsErased: Int
    let bytesErased: Int
}

/// A share as its owner sees it: with the link, to copy it again.
struct OwnShareRow: Encodable {
    let row: ShareRow
    /// `nil` for a share that is over, or that is sealed under another master key.
    let url: String?
    /// Label of the group, or its name without one, in which the share shows the runner.
    let group: String?

    private enum Key: String, CodingKey {
        case url, group
    }

    func encode(to encoder: any Encoder) throws {
        try row.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(url, forKey: .url)
        try container.encodeIfPresent(group, forKey: .group)
    }
}
