import Registry
package import Runtime
import SensorModel
import Sharing
package import Transport
package import ViewerPages

/// The daemon's own pages, and the exchange of spoken codes for links.
package struct PageRoutes: Sendable {
    package let cache: PageCache
    package let shares: ShareRoutes
    package let administration: Administration

    package init(cache: PageCache, shares: ShareRoutes, administration: Administration) {
        self.cache = cache
        self.shares = shares
        self.administration = administration
    }

    private var catalog: PageCatalog { cache.catalog }

    package func add(to router: inout Router) {
        router.add(.get, "/") { await start($0) }
        router.add(.get, "/s/:share") { sharePage($0, .live) }
        router.add(.get, "/@:share") { await namedPage($0) }
        router.add(.get, "/overlay/:share") { sharePage($0, .overlay) }
        router.add(.get, "/overlay/:share/setup") { sharePage($0, .overlaySetup) }
        router.add(.get, "/me") { Self.response(catalog.page(.owner), to: $0) }
        router.add(.get, "/record") { Self.response(catalog.page(.record), to: $0) }
        // Served at the root, because a service worker may only serve pages below its own path.
        router.add(.get, "/record-worker.js") { named("recordworker.js", $0) }
        router.add(.get, "/assets/*") { asset($0) }
        router.add(.get, "/favicon.ico") { icon($0) }
        router.add(.get, "/manifest.webmanifest") { named("manifest.webmanifest", $0) }
        router.add(.post, "/c", bodyBytesMax: 1024) { await redeem($0) }
    }

    private func start(_ request: HTTPRequest) async -> HTTPResponse {
        guard let share = request.query["share"] else {
            return Self.response(catalog.page(.start), to: request)
        }
        var request = request
        request.parameters["share"] = share
        return sharePage(request, .live)
    }

    /// The page of a public name, with a preview of the current run for chats.
    private func namedPage(_ request: HTTPRequest) async -> HTTPResponse {
        guard case .success(let share) = shares.share(request), let name = share.publicName else {
            return sharePage(request, .live)
        }
        // If the values cannot be read now, the preview says that the runner is not out.
        let shown = try? await shares.snapshots(of: share, for: request.peer).first
        let preview = LinkPreview(of: name, showing: shown ?? [])
        return Self.response(catalog.page(.live), filled: catalog.livePage(preview))
    }

    private func sharePage(_ request: HTTPRequest, _ page: PageCatalog.Page) -> HTTPResponse {
        switch shares.share(request) {
        case .failure(.unknown) where request.fields["accept"]?.contains("text/html") ?? false:
            // Unknown, revoked and expired shares get the same page.
            var response = Self.response(catalog.page(.notFound), to: request)
            response.status = 404
            return response
        case .failure(let refusal): return refusal.response
        case .success(let share):
            let isGroup = share.device == nil && page == .live
            return Self.response(catalog.page(isGroup ? .group : page), to: request)
        }
    }

    private func asset(_ request: HTTPRequest) -> HTTPResponse {
        guard let name = request.parameters["*"], let asset = catalog.asset(named: name) else {
            return .failure(status: 404, reason: "not found")
        }
        return Self.response(asset, to: request)
    }

    private func icon(_ request: HTTPRequest) -> HTTPResponse { named("icon.svg", request) }

    private func named(_ name: String, _ request: HTTPRequest) -> HTTPResponse {
        guard let path = catalog.path(of: name),
            let asset = catalog.asset(named: String(path.split(separator: "/").last ?? ""))
        else { return .failure(status: 404, reason: "not found") }
        return Self.response(asset, to: request)
    }

    package static func response(_ asset: PageAsset, to request: HTTPRequest) -> HTTPResponse {
        response(asset, acceptsGzip: request.acceptsGzip)
    }

    /// A page that was made for one request, so it is not compressed.
    static func response(_ asset: PageAsset, filled html: [UInt8]) -> HTTPResponse {
        var response = response(asset, acceptsGzip: false)
        response.body = .bytes(html)
        return response
    }

    private static func response(_ asset: PageAsset, acceptsGzip: Bool) -> HTTPResponse {
        let body = asset.body(acceptsGzip: acceptsGzip)
        var response = HTTPResponse(
            status: 200, fields: ["Content-Type": asset.contentType], body: .bytes(body.bytes))
        if let encoding = body.encoding { response.fields.append("Content-Encoding", encoding) }
        response.fields.append("Vary", "Accept-Encoding")
        for header in asset.headers where header.name.lowercased() != "content-type" {
            response.fields.append(header.name, header.value)
        }
        return response
    }

    private struct Code: Decodable {
        let code: String
    }

    private struct Link: Encodable {
        let share: String
        let path: String
    }

    /// The code in a request's body: a JSON object, or a form of a page without scripts.
    private static func code(
        in request: HTTPRequest
    ) throws(APIRefusal) -> (text: String, isForm: Bool) {
        guard request.fields["content-type"]?.contains("form-urlencoded") ?? false else {
            return (try JSONBody.decode(Code.self, of: request).code, false)
        }
        guard let text = QueryItems(String(decoding: request.body, as: UTF8.self))["code"] else {
            throw .badBody(reason: "the field code is missing")
        }
        return (text, true)
    }

    /// Redeems a code. A wrong code counts as a failed guess; an address with too many failures is
    /// refused.
    private func redeem(_ request: HTTPRequest) async -> HTTPResponse {
        let now = administration.clock()
        let wait = administration.accounts.withState {
            $0.failures.retryAfterSeconds(request.peer.key, at: now)
        }
        if let wait { return ShareRefusal.tooMany(retryAfterSeconds: wait).response }
        do {
            let (text, isForm) = try Self.code(in: request)
            if let code = ShortCode(text),
                let id = try administration.redeem(code, from: request.peer.key)
            {
                if isForm {
                    return ShareRoutes.noStore(
                        HTTPResponse(status: 303, fields: ["Location": "/s/\(id.text)"]))
                }
                return ShareRoutes.noStore(
                    JSONBody.response(Link(share: id.text, path: "/s/\(id.text)")))
            }
        } catch let refusal as APIRefusal {
            return refusal.response
        } catch let error as RegistryError {
            return APIRefusal.unavailable("\(error)").response
        } catch {
            return APIRefusal.failed("\(error)").response
        }
        _ = administration.accounts.withState {
            $0.failures.failed(request.peer.key, at: now)
        }
        return ShareRefusal.unknown.response
    }
}
