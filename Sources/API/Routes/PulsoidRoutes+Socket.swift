import Runtime
import SensorModel
import Sharing
import Transport

/// Readers on WebSocket.
extension PulsoidRoutes {
    private func withRoom(_ share: Share) -> Result<Share, ReaderRefusal> {
        shares.service.room(at: share).mapError(ReaderRefusal.init)
    }

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

    var realTime: SocketProgram {
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
    var room: SocketProgram {
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
