import Foundation
import Ring
import SensorModel
import Sharing
import Synchronization
import Transport
import WireFormat

/// Replaces the pipeline and the registry: admits the token "good", resolves the share "known", and
/// notes frames from the ring.
final class FakeDaemon: DeviceGate, ViewerGate {
    static let share = ShareKey(rawValue: 7)
    static let clock = Timestamp(microseconds: 1_763_700_000_000_000)

    struct Noted {
        var openings: [DeviceOpening] = []
        var frames: [(header: FrameHeader, payload: [UInt8])] = []
        var refused: [FrameSequence] = []
        var closed: [ConnectionID] = []
        var subscriptions: [SubscriptionRequest] = []
        var unsubscribed: [SubscriberID] = []
        var said: [String] = []
        var readyForMore = 0
    }

    let eventCount = EventCount()
    let loops: LoopGroup
    private let noted = Mutex(Noted())
    private let outgoing = Mutex<[(loop: Int, message: OutboundMessage)]>([])
    private let isStopping = Atomic(false)
    /// Whether the pipeline has stopped reading the ring.
    let isStalled = Atomic(false)
    /// Whether each frame is acknowledged at once.
    let acknowledges: Bool
    let sendsSnapshot: Bool
    /// Whether a device that ends its side is disconnected.
    let finishes: Bool

    init(
        loopCount: Int = 1, inboundBytes: Int = 1 << 20, acknowledges: Bool = true,
        sendsSnapshot: Bool = true, finishes: Bool = true, pace: BroadcastPace = BroadcastPace(),
        clockRuns: Bool = false
    ) {
        let start = ContinuousClock.now
        self.finishes = finishes
        self.acknowledges = acknowledges
        self.sendsSnapshot = sendsSnapshot
        loops = LoopGroup(
            loopCount: loopCount, inboundBytes: inboundBytes, pace: pace,
            published: { [eventCount] in
                eventCount.ring()
                return 0
            },
            arrivalClock: {
                guard clockRuns else { return Self.clock }
                return Self.clock.advanced(bySeconds: (ContinuousClock.now - start) / .seconds(1))
            })
        Thread.detachNewThread { self.runPipeline() }
    }

    var now: Noted { noted.withLock { $0 } }

    func push(_ message: OutboundMessage, loop: Int = 0) {
        outgoing.withLock { $0.append((loop, message)) }
        eventCount.ring()
    }

    /// Pushes the messages together, so that the loop handles them as one batch.
    func push(each messages: [OutboundMessage]) {
        outgoing.withLock { $0 += messages.map { (0, $0) } }
        eventCount.ring()
    }

    func stop() async {
        isStopping.store(true, ordering: .relaxed)
        eventCount.ring()
        await loops.shutdown()
    }

    private func runPipeline() {
        while !isStopping.load(ordering: .relaxed) {
            var count = 0
            if !isStalled.load(ordering: .relaxed) {
                for link in loops.links { count += link.inbound.drain { take($0, link) } }
            }
            let messages = outgoing.withLock { outgoing in
                defer { outgoing = [] }
                return outgoing
            }
            for (loop, message) in messages { loops.links[loop].push(message) }
            for link in loops.links { link.flush() }
            guard count == 0, messages.isEmpty else { continue }
            _ = eventCount.sleep(timeoutMicroseconds: 20_000) { false }
        }
    }

    private func take(_ record: Span<UInt8>, _ link: LoopLink) {
        guard let message = InboundMessage(record: record) else { return }
        var answers: [OutboundMessage] = []
        noted.withLock { noted in
            switch message {
            case .opened(let opening):
                noted.openings.append(opening)
                answers.append(
                    .welcome(
                        opening.connection,
                        DeviceWelcome(
                            session: opening.session, acked: .none, share: nil,
                            serverTime: opening.arrival)))
            case .frame(let frame):
                let payload = (InboundMessage.frameHeadBytes..<record.count).map { record[$0] }
                noted.frames.append((frame.header, payload))
                if acknowledges {
                    answers.append(.ack(frame.connection, frame.header.sequence, durable: true))
                }
            case .refused(_, let sequence, _): noted.refused.append(sequence)
            case .closed(let connection, _): noted.closed.append(connection)
            case .finished(let connection, _):
                if finishes { answers.append(.finished(connection)) }
            }
        }
        for answer in answers { link.push(answer) }
    }

    // MARK: - Gates

    func admit(_ handshake: DeviceHandshake) -> Result<AdmittedDevice, HandshakeRefusal> {
        guard (handshake.hello.token ?? handshake.headerToken) == "good" else {
            return .failure(.tokenRefused)
        }
        return .success(
            AdmittedDevice(
                device: DeviceID(rawValue: 3), tokenHash: .zero, session: handshake.hello.session,
                recorded: handshake.hello.recorded))
    }

    func knows(token: String, peer: PeerAddress) -> Result<Void, HandshakeRefusal> {
        token == "good" ? .success(()) : .failure(.tokenRefused)
    }

    func resolve(share: String, peer: PeerAddress) -> Result<ResolvedShare, ViewerRefusal> {
        switch share {
        case "known": .success(ResolvedShare(key: Self.share, idHash: .zero))
        case "crowded": .failure(.tooMany(retryAfterSeconds: 60))
        default: .failure(.unknown)
        }
    }

    func subscribe(_ request: SubscriptionRequest) {
        noted.withLock { $0.subscriptions.append(request) }
        guard sendsSnapshot else { return }
        let resumedAt: LogCursor? =
            if case .after(let cursor) = request.resume { cursor } else { nil }
        push(
            .feedsBegin(
                request.subscriber,
                [
                    FeedOpening(
                        key: FeedKey(request.key), runnerName: "Ada", snapshot: Self.snapshot)
                ],
                SubscriptionStart(resumedAt: resumedAt)),
            loop: request.loop)
    }

    func unsubscribe(_ subscriber: SubscriberID, from key: ShareKey) {
        noted.withLock { $0.unsubscribed.append(subscriber) }
    }

    func viewerSaid(
        _ subscriber: SubscriberID, watching key: ShareKey, _ text: [UInt8]
    ) -> ViewerCommandRefusal? {
        noted.withLock { $0.said.append(String(decoding: text, as: UTF8.self)) }
        return text.first == UInt8(ascii: "{") ? nil : .notACommand
    }

    func readyForMore(_ subscriber: SubscriberID, watching key: ShareKey) {
        noted.withLock { $0.readyForMore += 1 }
    }

    static var snapshot: FeedSnapshot {
        .waiting(cursor: cursor(1), time: clock)
    }

    static func cursor(_ offset: UInt64) -> LogCursor {
        LogCursor(epoch: 1, offset: RecordOffset(rawValue: offset))
    }

    /// An event that goes out at once.
    static func marker(_ offset: UInt64, _ text: String) -> FeedUpdate {
        FeedUpdate(
            cursor: cursor(offset), time: clock, changed: [],
            event: Array("{\"type\":\"event\",\"event\":\"marker\",\"text\":\"\(text)\"}".utf8))
    }
}
