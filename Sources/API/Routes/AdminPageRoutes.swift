import Logging
package import Runtime
import Secrets
import SensorModel
package import Transport
import ViewerPages

/// The administration page: links that open it, its sessions, and what a session may ask for.
///
/// Two things protect it. Only programs of this machine and clients of the owner's proxy reach it
/// (``Router/Reach/owner``), and only a link from the admin socket begins a session. The
/// session's token comes as Bearer, never as a cookie, so no page of another site can use it.
package struct AdminPageRoutes: Sendable {
    /// Everything of the admin socket that a session may use. Nothing here shows a session's data
    /// or the secret of a share.
    private static let mounted = [
        "GET /health", "GET /devices", "POST /devices", "POST /devices/:name/setup",
        "POST /devices/:name/rotate", "POST /devices/:name/revoke", "DELETE /devices/:name",
        "GET /shares", "POST /shares/:name/revoke",
    ]
    private static let prefix = "/v1/admin"

    private let administration: Administration
    private let sessions: AdminSessions
    private let pages: PageCache
    private let address: PublicAddress

    package init(
        administration: Administration, sessions: AdminSessions, pages: PageCache,
        address: PublicAddress
    ) {
        self.administration = administration
        self.sessions = sessions
        self.pages = pages
        self.address = address
    }

    // MARK: Links, on the admin socket

    private struct NewLink: StrictBody {
        static let fields = ["expires"]
        /// Duration of the session.
        let expires: String?
    }

    private struct LinkRow: Encodable {
        let url: String
        let linkSeconds: Int
        let sessionSeconds: Int
    }

    package func addLinks(to router: inout Router) {
        router.add(.post, "/admin-links") { request in await answer { try addLink(request) } }
        router.add(.delete, "/admin-links") { _ in
            sessions.endAll()
            return HTTPResponse(status: 204)
        }
    }

    private func addLink(_ request: HTTPRequest) throws -> HTTPResponse {
        let text = try JSONBody.decode(NewLink.self, of: request).expires ?? "1h"
        guard let seconds = DurationText.seconds(text),
            AdminSessions.sessionSeconds.contains(seconds)
        else { throw APIRefusal.badField(name: "expires", allowed: "1m to 24h") }
        guard let link = makeLink(opening: .seconds(Int(seconds))) else {
            throw APIRefusal.conflict(
                "the page opens on this machine or through a proxy: let http.host be 127.0.0.1 or"
                    + " 0.0.0.0, or set http.trusted_proxies and an https address as"
                    + " http.public_url")
        }
        return JSONBody.response(
            LinkRow(
                url: link, linkSeconds: Int(AdminSessions.linkLifetime.components.seconds),
                sessionSeconds: Int(seconds)),
            status: 201)
    }

    /// - Parameter session: Duration of the session that the link opens.
    /// - Returns: A link, good once; `nil`: the page cannot be reached.
    package func makeLink(opening session: Duration) -> String? {
        guard let url = address.administrationURL else { return nil }
        let secret = sessions.addLink(opening: session)
        log("a link to the administration page was made")
        return "\(url)/admin#\(secret.text)"
    }

    // MARK: The page, on the HTTP port

    /// - Parameters:
    ///   - router: The HTTP port's table.
    ///   - socket: The admin socket's table.
    package func add(to router: inout Router, using socket: Router) {
        router.add(.get, "/admin", reach: .owner) { request in
            PageRoutes.response(pages.catalog.page(.admin), to: request)
        }
        let path = Self.prefix + "/sessions"
        router.add(.post, path, bodyBytesMax: 1024, reach: .owner) { request in
            ShareRoutes.noStore(await answer { try open(request) })
        }
        router.add(.delete, path, reach: .owner) { request in
            await authenticated(request) { request in
                if let token = request.bearerToken.flatMap({ AdminSecret($0) }) {
                    sessions.end(token)
                }
                return HTTPResponse(status: 204)
            }
        }
        router.mount(Self.mounted, of: socket, below: Self.prefix, reach: .owner) {
            await authenticated($0, $1)
        }
    }

    private struct Exchange: StrictBody {
        static let fields = ["secret"]
        /// The secret of a link.
        let secret: String
    }

    private struct SessionRow: Encodable {
        let token: String
        let sessionSeconds: Int
    }

    private func open(_ request: HTTPRequest) throws -> HTTPResponse {
        // A form of another site cannot send this type.
        guard request.fields["content-type"]?.hasPrefix("application/json") ?? false else {
            throw APIRefusal.badField(name: "Content-Type", allowed: "application/json")
        }
        let secret = try JSONBody.decode(Exchange.self, of: request).secret
        guard let link = AdminSecret(secret), let session = sessions.open(link) else {
            return refuseGuess(request)
        }
        log("a session of the administration page began")
        return JSONBody.response(
            SessionRow(
                token: session.token.text,
                sessionSeconds: Int(session.duration.components.seconds)),
            status: 201)
    }

    private func authenticated(
        _ request: HTTPRequest, _ respond: @Sendable (HTTPRequest) async -> HTTPResponse
    ) async -> HTTPResponse {
        guard let token = request.bearerToken else { return TokenRefusal.wrong.response }
        guard let secret = AdminSecret(token), sessions.isOpen(secret) else {
            return refuseGuess(request)
        }
        return ShareRoutes.noStore(await respond(request))
    }

    private func refuseGuess(_ request: HTTPRequest) -> HTTPResponse {
        administration.accounts.refuseGuess(of: request.peer, at: administration.clock()).response
    }

    private func log(_ message: Logger.Message) {
        administration.logger.log(.administration, .notice, message)
    }
}
