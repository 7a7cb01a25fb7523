import Foundation
import SensorModel
import Sharing
import Synchronization
import Transport

/// HypeRate's socket: a client joins `hr:ID`, where the ID is a share's.
struct HypeRateRoutes: Sendable {
    let shares: ShareRoutes
    /// That sockets follow now, of all sockets together.
    static let topicsMax = 10_000
    fileprivate let topics = TopicCount()

    init(shares: ShareRoutes) {
        self.shares = shares
    }

    func add(to router: inout Router) {
        router.add(
            .get, "/socket/websocket",
            .socket(
                SocketProgram(proof: nil) { request in
                    .admitted { await HypeRateSocket(self, request.peer, $0).run() }
                }))
        router.add(.get, "/ws/:share", .socket(SocketProgram(admit: admit)))
    }

    /// The newer form names its first topic in the address.
    private func admit(_ request: HTTPRequest) -> SocketProgram.Admission {
        let text = request.parameters["share"] ?? ""
        switch shares.desk.find(text, peer: request.peer).flatMap(shares.desk.room) {
        case .failure(let refusal): return .refused(ShareRefusal(refusal).response)
        case .success(let share):
            return .admitted { conversation in
                await HypeRateSocket(self, request.peer, conversation)
                    .run(following: share, as: text)
            }
        }
    }
}

/// Topics that sockets follow now, of all sockets together.
private final class TopicCount: Sendable {
    private let count = Atomic<Int>(0)

    /// - Returns: `false` when there is no place for one more.
    func enter() -> Bool {
        guard count.wrappingAdd(1, ordering: .relaxed).newValue <= HypeRateRoutes.topicsMax else {
            leave()
            return false
        }
        return true
    }

    func leave() {
        count.wrappingSubtract(1, ordering: .relaxed)
    }
}

/// One client's socket, with the topics it has joined.
private actor HypeRateSocket {
    /// One runner a topic; a show of fifty is a large one.
    private static let topicsMax = 50
    private static let testIdentifier = "internal-testing"

    private struct Message: Decodable {
        let topic: String?
        let event: String
        let ref: Reference?
    }

    /// The first clients count, later ones send what they count as text.
    private enum Reference: Decodable {
        case number(Int)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    private let routes: HypeRateRoutes
    private let peer: PeerAddress
    private let conversation: SocketConversation
    private var topics: [String: Task<Void, Never>] = [:]

    init(
        _ routes: HypeRateRoutes, _ peer: PeerAddress, _ conversation: SocketConversation
    ) {
        self.routes = routes
        self.peer = peer
        self.conversation = conversation
    }

    func run(following share: Share, as identifier: String) async {
        topics["hr:" + identifier] = Task { [routes, conversation] in
            await Self.follow(share, as: identifier, routes, conversation)
        }
        await run()
    }

    func run() async {
        for await message in conversation.messages {
            guard case .text(let text) = message,
                let message = try? JSONDecoder().decode(Message.self, from: Data(text.utf8))
            else { continue }
            take(message)
        }
        for task in topics.values { task.cancel() }
    }

    private func take(_ message: Message) {
        let topic = message.topic ?? "phoenix"
        switch message.event {
        case "phx_join":
            let program = topics[topic] == nil ? program(of: topic) : nil
            // Before the first reading: that would be of a topic that is not joined.
            reply(to: message, topic, accepted: program != nil || topics[topic] != nil)
            if let program { topics[topic] = Task { await program() } }
        case "phx_leave":
            let task = topics.removeValue(forKey: topic)
            task?.cancel()
            reply(to: message, topic, accepted: task != nil)
        case "heartbeat", "ping": reply(to: message, topic, accepted: true)
        default: break
        }
    }

    /// What a topic's client is told.
    ///
    /// - Returns: `nil` for a share that is not there: unknown, revoked and expired alike.
    private func program(of topic: String) -> (@Sendable () async -> Void)? {
        guard topic.hasPrefix("hr:"), topics.count < Self.topicsMax else { return nil }
        let identifier = String(topic.dropFirst(3))
        if identifier == Self.testIdentifier {
            // It may stay, and is nobody's viewer.
            conversation.joined(nil)
            return { [conversation] in await Self.test(conversation) }
        }
        switch routes.shares.desk.find(identifier, peer: peer) {
        case .success(let share):
            conversation.joined(.viewer)
            return { [routes, conversation] in
                await Self.follow(share, as: identifier, routes, conversation)
            }
        case .failure(.unknown): return nil
        case .failure(.tooMany):
            conversation.close(code: CloseCode.tooManyRequests.rawValue)
            return nil
        }
    }

    private static func follow(
        _ share: Share, as identifier: String, _ routes: HypeRateRoutes,
        _ conversation: SocketConversation
    ) async {
        guard let member = routes.shares.members(of: share).first else { return }
        let shares = routes.shares
        guard routes.topics.enter() else {
            return conversation.close(code: CloseCode.tooManyRequests.rawValue)
        }
        defer { routes.topics.leave() }
        let isAdmitted = await shares.whileCounted(share) {
            await send(
                shares.readings(of: member, by: share), as: identifier, to: conversation)
        }
        guard isAdmitted else {
            return conversation.close(code: CloseCode.tooManyRequests.rawValue)
        }
        // Over, and not left: offline, as far as this client can be told.
        guard !Task.isCancelled else { return }
        let message = HypeRate.update(identifier: identifier, nil)
        conversation.send(.text(String(decoding: message, as: UTF8.self)))
    }

    private static func send(
        _ readings: HeartRateHub.Readings, as identifier: String,
        to conversation: SocketConversation
    ) async {
        var isOnline = true
        for await news in readings {
            let current = news.reading.flatMap { $0.isCurrent ? $0 : nil }
            // That it is offline is said once.
            guard current != nil || isOnline else { continue }
            isOnline = current != nil
            let message = HypeRate.update(identifier: identifier, current)
            conversation.send(.text(String(decoding: message, as: UTF8.self)))
        }
    }

    /// Made up, for whoever builds a reader.
    private static func test(_ conversation: SocketConversation) async {
        while !Task.isCancelled {
            let reading = HeartRateReading(
                beatsPerMinute: .random(in: 60...180), measuredAt: Timestamp(microseconds: 0),
                state: .live)
            let message = HypeRate.update(identifier: testIdentifier, reading)
            conversation.send(.text(String(decoding: message, as: UTF8.self)))
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
        }
    }

    private func reply(to message: Message, _ topic: String, accepted: Bool) {
        var text: String
        switch message.ref {
        case .number(let number):
            text = Self.reply(topic, number, accepted)
        case nil: text = Self.reply(topic, nil, accepted)
        case .text(let reference):
            text = Self.reply(topic, nil, accepted)
            let isPlain =
                reference.utf8.count <= 32
                && reference.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            if isPlain, text.hasSuffix("null}") {
                text = text.dropLast(5) + "\"\(reference)\"}"
            }
        }
        conversation.send(.text(text))
    }

    private static func reply(_ topic: String, _ reference: Int?, _ accepted: Bool) -> String {
        String(
            decoding: HypeRate.reply(topic: topic, reference: reference, accepted: accepted),
            as: UTF8.self)
    }
}
