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
            answered(request) { ask($0) }
        }
        router.add(.post, "/alert/:token", bodyBytesMax: 1024) { request in
            answered(request) { confirm($0, request) }
        }
    }

    private struct Row: Encodable {
        let confirmedBy: String
    }

    /// Asks the receiver, but where somebody takes care already or it is over.
    private func ask(_ token: ShareID) -> HTTPResponse? {
        guard let (told, receiver) = alerts.notice(for: token) else { return nil }
        let isNeeded = receiver == nil && told?.isOver != true
        return page(isNeeded ? .alert : .alertTaken, told?.page(confirmedBy: receiver))
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
            let told = alerts.notice(for: token)?.told
            return page(
                .alertTaken,
                told?.page(confirmedBy: entry.confirmedBy, isOver: !entry.isOpen))
        }
        return ShareRoutes.noStore(JSONBody.response(Row(confirmedBy: name)))
    }

    private func page(_ page: PageCatalog.Page, _ alert: AlertPage?) -> HTTPResponse {
        PageRoutes.response(
            pages.catalog.page(page), filled: pages.catalog.alertPage(page, alert))
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
        var response = PageRoutes.response(pages.catalog.page(.notFound), to: request)
        response.status = 404
        return response
    }
}
