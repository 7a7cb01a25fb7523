import Runtime
import SensorModel
import Sharing
import Transport

/// One client's socket and its joined topics.
actor HypeRateSocket {
    /// Topics per socket: one per runner; a show of fifty is a large one.
    private static let topicsMax = 50
    private static let testIdentifier = "internal-testing"

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
                let message = HypeRateMessage(text)
            else { continue }
            take(message)
        }
        for task in topics.values { task.cancel() }
    }

    private func take(_ message: HypeRateMessage) {
        let topic = message.topic
        switch message.event {
        case "phx_join":
            let program = topics[topic] == nil ? program(of: topic) : nil
            // The reply precedes the first reading: a client expects readings only of joined
            // topics.
            reply(to: message, accepted: program != nil || topics[topic] != nil)
            if let program { topics[topic] = Task { await program() } }
        case "phx_leave":
            let task = topics.removeValue(forKey: topic)
            task?.cancel()
            reply(to: message, accepted: task != nil)
        case "heartbeat", "ping": reply(to: message, accepted: true)
        default: break
        }
    }

    /// Returns the work that sends the messages of a topic.
    ///
    /// - Returns: `nil` for a share that is unknown, revoked or expired.
    private func program(of topic: String) -> (@Sendable () async -> Void)? {
        guard topic.hasPrefix("hr:"), topics.count < Self.topicsMax else { return nil }
        let identifier = String(topic.dropFirst(3))
        if identifier == Self.testIdentifier {
            // The connection stays open and does not count as a viewer.
            conversation.joined(nil)
            return { [conversation] in await Self.test(conversation) }
        }
        switch routes.shares.service.find(identifier, peer: peer) {
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
        let isAdmitted = await shares.whileCounted(share) {
            await send(
                shares.readings(of: member, by: share), as: identifier, to: conversation)
        }
        guard isAdmitted else {
            return conversation.close(code: CloseCode.tooManyRequests.rawValue)
        }
        // The share ended and the client did not leave: the client gets "offline".
        guard !Task.isCancelled else { return }
        let message = HypeRate.update(identifier: identifier, nil)
        conversation.send(.text(String(decoding: message, as: UTF8.self)))
    }

    private static func send(
        _ readings: HeartRateHub.Readings, as identifier: String,
        to conversation: SocketConversation
    ) async {
        var isOnline = false
        for await news in readings {
            let current = news.reading.flatMap { $0.isCurrent ? $0 : nil }
            // "Offline" is sent once after each value, and never before the first one.
            guard current != nil || isOnline else { continue }
            isOnline = current != nil
            let message = HypeRate.update(identifier: identifier, current)
            conversation.send(.text(String(decoding: message, as: UTF8.self)))
        }
    }

    /// Generated readings, for developers of readers.
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

    private func reply(to message: HypeRateMessage, accepted: Bool) {
        conversation.send(.text(message.reply(accepted: accepted)))
    }
}
