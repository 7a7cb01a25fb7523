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

    // MARK: REST

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

    private static func wantsText(_ request: HTTPRequest) -> Bool {
        request.query["response_mode"] == "text_plain_only_heart_rate"
    }

    private func share(inHeaderOf request: HTTPRequest) -> Result<Share, ReaderRefusal> {
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

    private func share(
        withToken token: String, _ request: HTTPRequest
    ) -> Result<Share, ReaderRefusal> {
        shares.service.find(token, peer: request.peer).mapError(ReaderRefusal.init)
    }

    private func withRoom(_ share: Share) -> Result<Share, ReaderRefusal> {
        shares.service.room(at: share).mapError(ReaderRefusal.init)
    }

    // MARK: WebSocket

    /// Finds the share. Web readers put the token into the query: a browser's WebSocket has no
    /// headers.
    private func share(of request: HTTPRequest) -> Result<Share, ReaderRefusal> {
        guard let token = request.query["access_token"] else {
            return share(inHeaderOf: request)
        }
        return share(withToken: token, request)
    }

    /// - Parameters:
    ///   - followed: Picks the members of the link that the socket follows.
    ///   - run: Follows them until they end.
    /// - Returns: The program of such sockets.
    private func socket(
        following followed: @escaping @Sendable (HTTPRequest, [Share]) -> [Share],
        _ run: @escaping @Sendable (HTTPRequest, [Share], Share, SocketConversation) async -> Void
    ) -> SocketProgram {
        SocketProgram { request in
            switch share(of: request).flatMap(withRoom) {
            case .failure(let refusal): .refused(refusal.response)
            case .success(let share):
                .admitted { conversation in
                    let members = followed(request, shares.members(of: share))
                    let isAdmitted = await shares.whileCounted(share, following: members.count) {
                        await run(request, members, share, conversation)
                    }
                    let code: CloseCode = isAdmitted ? .shareEnded : .tooManyRequests
                    conversation.close(code: code.rawValue)
                }
            }
        }
    }

    private var realTime: SocketProgram {
        socket(following: { Array($1.prefix(1)) }) { request, members, share, conversation in
            let asText = Self.wantsText(request)
            guard let member = members.first else { return }
            await whilePeerIsThere(conversation) {
                for await news in shares.readings(of: member, by: share) {
                    guard let reading = news.reading, reading.isCurrent else { continue }
                    let message = asText ? Pulsoid.plainText(reading) : Pulsoid.object(reading)
                    conversation.send(.text(String(decoding: message, as: UTF8.self)))
                }
            }
        }
    }

    private static func wantsHeartRates(_ request: HTTPRequest) -> Bool {
        let kinds = request.query["kinds"] ?? "heart_rate"
        return kinds.split(separator: ",").contains("heart_rate")
    }

    /// A room is a group share: it sends each runner's own readings.
    private var room: SocketProgram {
        socket(following: { Self.wantsHeartRates($0) ? $1 : [] }) {
            _, members, share, conversation in
            guard !members.isEmpty else { return }
            await whilePeerIsThere(conversation) {
                await withTaskGroup { group in
                    for member in members {
                        group.addTask { await sendRoom(member, by: share, to: conversation) }
                    }
                }
            }
        }
    }

    private struct RoomEvent: Encodable {
        struct HeartRate: Encodable {
            let profile_id: String
            let bpm: Int
        }

        let kind = "heart_rate"
        let timestamp: Int64
        let heart_rate: HeartRate
    }

    private func sendRoom(
        _ member: Share, by link: Share, to conversation: SocketConversation
    ) async {
        for await news in shares.readings(of: member, by: link) {
            guard let reading = news.reading, reading.isCurrent else { continue }
            let event = RoomEvent(
                timestamp: reading.measuredAt.microseconds / 1000,
                heart_rate: .init(
                    profile_id: member.runnerName, bpm: reading.beatsPerMinute))
            conversation.send(.text(JSONBody.text(event)))
        }
    }
}

/// Runs `work` until it ends, which closes the socket, or until the peer disconnects. Messages of
/// the peer are ignored.
func whilePeerIsThere(
    _ conversation: SocketConversation, _ work: @escaping @Sendable () async -> Void
) async {
    await withTaskGroup { group in
        group.addTask { await work() }
        group.addTask { for await _ in conversation.messages {} }
        await group.next()
        // Only the closing of the socket marks the end of the messages.
        conversation.close(code: CloseCode.shareEnded.rawValue)
        group.cancelAll()
    }
}

/// A refusal in the format of the reader interface.
enum ReaderRefusal: Error, Hashable, Sendable {
    case pulsoid(Pulsoid.Refusal)
    case tooMany(retryAfterSeconds: Int)

    init(_ refusal: ViewerRefusal) {
        switch refusal {
        case .unknown: self = .pulsoid(.tokenNotFound)
        case .tooMany(let seconds): self = .tooMany(retryAfterSeconds: seconds)
        }
    }

    var response: HTTPResponse {
        switch self {
        case .pulsoid(let refusal): .json(refusal.body, status: refusal.status)
        case .tooMany(let seconds): ShareRefusal.tooMany(retryAfterSeconds: seconds).response
        }
    }
}
