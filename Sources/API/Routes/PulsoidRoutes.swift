import Runtime
import Sharing
import SensorModel
package import Transport

/// Pulsoid's reader interface; a share's ID serves as the token.
package struct PulsoidRoutes: Sendable {
    package let shares: ShareRoutes

    package init(shares: ShareRoutes) {
        self.shares = shares
    }

    package func add(to router: inout Router) {
        let latestPath = "/api/v1/data/heart_rate/latest"
        let validatePath = "/api/v1/token/validate"
        router.add(.get, latestPath) { Self.proving(await latest($0).open()) }
        router.add(.get, validatePath) { Self.proving(validate($0).open()) }
        for path in [latestPath, validatePath] {
            router.add(.options, path) { _ in .preflight(headers: "Authorization") }
        }
        router.add(.get, "/api/v1/data/real_time", .socket(realTime))
        router.add(.get, "/api/v2/data/rooms/:room/real_time", .socket(room))
    }

    /// Marks the response as one for a found share: the token is in a header, which the router does
    /// not see.
    private static func proving(_ response: HTTPResponse) -> HTTPResponse {
        guard response.status < 400 || response.status == 412 else { return response }
        var response = response
        response.proof = .viewer
        return response
    }

    private func latest(_ request: HTTPRequest) async -> HTTPResponse {
        switch share(inHeaderOf: request) {
        case .failure(let refusal): return refusal.response
        case .success(let share):
            let reading: HeartRateReading?
            do {
                reading = try await shares.reading(
                    of: shares.members(of: share).first ?? share, by: share, request.peer)
            } catch { return ReadAnswer.response(to: error) }
            guard let reading, reading.isCurrent else {
                return ReaderRefusal.pulsoid(.noDataYet).response
            }
            return ShareRoutes.noStore(
                Self.wantsText(request)
                    ? .text(String(decoding: Pulsoid.plainText(reading), as: UTF8.self))
                    : .json(Pulsoid.object(reading)))
        }
    }

    private func validate(_ request: HTTPRequest) -> HTTPResponse {
        switch share(inHeaderOf: request) {
        case .failure(let refusal): return refusal.response
        case .success(let share):
            let rest = share.expiresAt.map { Int($0.seconds(since: shares.clock())) }
            return ShareRoutes.noStore(
                .json(Pulsoid.validation(profile: share.runnerName, expiresInSeconds: rest)))
        }
    }

    static func wantsText(_ request: HTTPRequest) -> Bool {
        request.query["response_mode"] == "text_plain_only_heart_rate"
    }

    func share(inHeaderOf request: HTTPRequest) -> Result<Share, ReaderRefusal> {
        guard request.fields["authorization"] != nil else {
            return .failure(.pulsoid(.headerMissing))
        }
        guard let token = request.bearerToken else { return .failure(.pulsoid(.headerFormat)) }
        return share(withToken: token, request).flatMap { share in
            let now = shares.clock()
            let wait = shares.accounts.withState {
                $0.readers.admit(to: share.key, from: request.peer.key, at: now)
            }
            if let wait { return .failure(.tooMany(retryAfterSeconds: wait)) }
            return .success(share)
        }
    }

    func share(
        withToken token: String, _ request: HTTPRequest
    ) -> Result<Share, ReaderRefusal> {
        shares.service.find(token, peer: request.peer).mapError(ReaderRefusal.init)
    }
}
