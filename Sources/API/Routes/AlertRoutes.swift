package import Runtime
import SensorModel
import Sharing
package import Transport
import ViewerPages

/// The page by which a receiver confirms an alert. Only a POST confirms: chats fetch every link for
/// a preview.
package struct AlertRoutes: Sendable {
    package let alerts: AlertCenter
    package let administration: Administration
    package let pages: PageCache

    package init(alerts: AlertCenter, administration: Administration, pages: PageCache) {
        self.alerts = alerts
        self.administration = administration
        self.pages = pages
    }

    package func add(to router: inout Router) {
        router.add(.get, "/alert/:token") { request in
            answered(request) { alerts.isGranted($0) ? page(.alert, request) : nil }
        }
        router.add(.post, "/alert/:token", bodyBytesMax: 1024) { request in
            answered(request) { confirm($0, request) }
        }
    }

    private struct Row: Encodable {
        let confirmedBy: String
    }

    private func confirm(_ token: ShareID, _ request: HTTPRequest) -> HTTPResponse? {
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
        _ request: HTTPRequest, _ work: (ShareID) -> HTTPResponse?
    ) -> HTTPResponse {
        let token = ShareID(request.parameters["token"] ?? "")
        if let response = token.flatMap(work) { return response }
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
