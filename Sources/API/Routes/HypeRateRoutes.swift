import Sharing
package import Transport

/// HypeRate's socket: a client joins `hr:ID`, where the ID is a share's.
package struct HypeRateRoutes: Sendable {
    package let shares: ShareRoutes

    package init(shares: ShareRoutes) {
        self.shares = shares
    }

    package func add(to router: inout Router) {
        router.add(
            .get, "/socket/websocket",
            .socket(
                SocketProgram(proof: nil) { request in
                    .admitted { await HypeRateSocket(self, request.peer, $0).run() }
                }))
        router.add(.get, "/ws/:share", .socket(SocketProgram(admit: admit)))
    }

    /// Admits a socket; the newer form names its first topic in the address.
    private func admit(_ request: HTTPRequest) -> SocketProgram.Admission {
        let text = request.parameters["share"] ?? ""
        switch shares.service.find(text, peer: request.peer).flatMap(shares.service.room) {
        case .failure(let refusal): return .refused(ShareRefusal(refusal).response)
        case .success(let share):
            return .admitted { conversation in
                await HypeRateSocket(self, request.peer, conversation)
                    .run(following: share, as: text)
            }
        }
    }
}
