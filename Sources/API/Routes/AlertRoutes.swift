package import Runtime
import SensorModel
import Sharing
package import Transport
import ViewerPages

/// The page by which a receiver confirms an alert. Only a POST confirms: chats fetch every link for
/// a preview.
package struct AlertRoutes: Sendable {
    package let alerts: AlertCenter
    package let teller: AlertTeller
    package let administration: Administration
    package let pages: PageCache

    package init(
        alerts: AlertCenter, teller: AlertTeller, administration: Administration, pages: PageCache
    ) {
        self.alerts = alerts
        self.teller = teller
        self.administration = administration
        self.pages = pages
    }

    package func add(to router: inout Router) {
        router.add(.get, "/alert/:token") { request in
            await answered(request) { alerts.granted($0) == nil ? nil : page(.alert, request) }
        }
        router.add(.post, "/alert/:token", bodyBytesMax: 1024) { request in
            await answered(request) { await confirm($0, request) }
        }
    }

    private struct Row: Encodable {
        let confirmedBy: String
    }

    private func confirm(_ token: ShareID, _ request: HTTPRequest) async -> HTTPResponse? {
        guard let granted = alerts.granted(token) else { return nil }
        if granted.entry.confirmedBy == nil {
            // A receiver that was removed, or got another address, confirms nothing any more.
            let receivers = await teller.receivers(of: granted.entry.device)
            guard
                receivers.contains(where: { AlertTeller.token(of: granted.entry, for: $0) == token }
                )
            else { return nil }
        }
        guard let (entry, isNew) = alerts.confirm(token) else { return nil }
        let name = entry.confirmedBy ?? "nobody: it is over"
        if isNew {
            administration.mailbox.post {
                $0.send(confirmationOf: entry.key.topic.rawValue, by: name, to: entry.device)
            }
        }
        if request.fields["accept"]?.contains("text/html") ?? false {
            return page(.alertTaken, request)
        }
        return ShareRoutes.noStore(JSONBody.response(Row(confirmedBy: name)))
    }

    private func page(_ page: PageCatalog.Page, _ request: HTTPRequest) -> HTTPResponse {
        PageRoutes.response(pages.catalog.page(page), to: request)
    }

    /// Answers a request with a token. A wrong one counts as a failed guess, and an address with too
    /// many of them is refused; a right one is answered always.
    private func answered(
        _ request: HTTPRequest, _ work: (ShareID) async -> HTTPResponse?
    ) async -> HTTPResponse {
        if let token = ShareID(request.parameters["token"] ?? ""),
            let response = await work(token)
        {
            return response
        }
        let now = administration.clock()
        let verdict = administration.accounts.withState {
            $0.failures.failed(request.peer.key, at: now)
        }
        if case .slowDown(let seconds) = verdict {
            return ShareRefusal.tooMany(retryAfterSeconds: seconds).response
        }
        guard request.fields["accept"]?.contains("text/html") ?? false else {
            return ShareRefusal.unknown.response
        }
        var response = page(.notFound, request)
        response.status = 404
        return response
    }
}
