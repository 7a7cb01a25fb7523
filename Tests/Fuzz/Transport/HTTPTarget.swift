import NIOCore
import NIOEmbedded
import Ring
import SensorModel
import Sharing
import Synchronization
import WireFormat

@testable import Transport

/// A connection of an HTTP listener: its answers are valid and do not depend on how the network
/// split the input.
enum HTTPTarget {
    /// The first byte selects how the rest is split into chunks.
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let stream = Array(bytes.dropFirst())
        let whole = answers(to: stream, chunkBytes: max(1, stream.count))
        let cut = answers(to: stream, chunkBytes: Int(first) % 61 + 1)
        precondition(whole == cut, "answers depend on how the network cut the requests")
        guard !whole.isEmpty else { return }
        precondition(
            whole.starts(with: "HTTP/1.1 ".utf8) && (0x31...0x35).contains(whole[9]),
            "what is answered is no answer")
    }

    private static func answers(to stream: [UInt8], chunkBytes: Int) -> [UInt8] {
        let loop = AnsweringLoop(EmbeddedEventLoop())
        let channel = EmbeddedChannel(loop: loop.embedded)
        let state = LoopState(
            eventLoop: loop,
            rings: LoopState.Rings(
                index: 0, inbound: ByteRing(capacity: 1 << 16),
                outbound: RingBuffer(capacity: 16), published: { 0 }),
            pace: BroadcastPace(), subscriberBytesMax: 256 << 10, counters: TransportCounters(),
            frameRates: FrameRates(), arrivalClock: { time },
            // Turns take no time: nothing advances the embedded loop's.
            loopClock: { .uptimeNanoseconds(0) })
        let admission = ConnectionAdmission(counters: state.counters)
        guard
            case .success(let ticket) = admission.admit(
                channel, from: nil, as: .stranger, limits: service.limits)
        else { preconditionFailure("no place for one connection") }
        let connection = HTTPConnection(
            loop: state, service: service, ticket: ticket, peer: .unixSocket)
        var answers: [UInt8] = []
        do {
            try channel.pipeline.syncOperations.addHandler(
                FlushGate(loop: state, keepsReads: false))
            try connection.add(to: channel.pipeline.syncOperations)
            try channel.connect(to: SocketAddress(unixDomainSocketPath: "/fuzz")).wait()
            var start = 0
            while start < stream.count, channel.isActive {
                let end = min(start + chunkBytes, stream.count)
                try channel.writeInbound(ByteBuffer(bytes: stream[start..<end]))
                settle(connection, loop)
                while let out = try channel.readOutbound(as: ByteBuffer.self) {
                    answers += out.readableBytesView
                }
                start = end
            }
            _ = try channel.finish(acceptAlreadyClosed: true)
        } catch { preconditionFailure("the connection let an error pass: \(error)") }
        precondition(state.connections.isEmpty, "a closed connection is still listed")
        precondition(state.counters.connectionsOpen.load(ordering: .relaxed) == 0, "still counted")
        return answers
    }

    /// Runs tasks until the connection waits for the network and not for an answer.
    private static func settle(_ connection: HTTPConnection, _ loop: AnsweringLoop) {
        loop.embedded.run()
        while case .answering(.some) = connection.stage {
            loop.runNext()
            loop.embedded.run()
        }
    }

    private static let time = Timestamp(microseconds: 1_763_700_000_000_000)
    private static let service: HTTPService = {
        var router = Router()
        router.notFound = { _ in .failure(status: 404, reason: "nothing is here") }
        router.add(.get, "/a") { .text("\($0.query["q"] ?? "-") \($0.body.count)") }
        router.add(.post, "/a") { .text("\($0.body.count) \($0.peer)") }
        router.add(.get, "/s/:share/live", .viewerSocket)
        router.add(.get, "/s/:share/events", .eventStream)
        router.add(.get, "/d", .deviceSocket)
        router.add(.get, "/e", .echo)
        var limits = ConnectionLimits()
        limits.headerBytesMax = 4096
        limits.bodyBytesMax = 2048
        let configuration = ListenerConfiguration(
            name: "fuzz", address: .unixSocket(path: "/fuzz"), service: .http(router),
            limits: limits, trustedProxies: [.unixSocket], allowedOrigins: ["http://x"])
        return HTTPService(configuration, router, devices: Gates(), viewers: Gates())
    }()

    /// Accepts the token "good" and the share "good".
    private struct Gates: DeviceGate, ViewerGate {
        func admit(_ handshake: DeviceHandshake) -> Result<AdmittedDevice, HandshakeRefusal> {
            .failure(.tokenRefused)
        }

        func knows(token: String, peer: PeerAddress) -> Result<Void, HandshakeRefusal> {
            token == "good" ? .success(()) : .failure(.tokenRefused)
        }

        func resolve(share: String, peer: PeerAddress) -> Result<ResolvedShare, ViewerRefusal> {
            share == "good"
                ? .success(ResolvedShare(key: ShareKey(rawValue: 7), idHash: .zero))
                : .failure(.unknown)
        }

        func subscribe(_ request: SubscriptionRequest) {}
        func unsubscribe(_ subscriber: SubscriberID, from key: ShareKey) {}
        func viewerSaid(
            _: SubscriberID, watching key: ShareKey, _ text: [UInt8]
        ) -> ViewerCommandRefusal? { nil }
        func readyForMore(_ subscriber: SubscriberID, watching key: ShareKey) {}
    }

    private static let upgrade =
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

    static let seeds: [[UInt8]] = [
        "GET /a?q=b%20c HTTP/1.1\r\nHost: x\r\n\r\nPOST /a HTTP/1.1\r\nHost: x\r\n"
            + "Content-Length: 3\r\n\r\nabcDELETE /a HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
            + "3;a=b\r\nabc\r\n0\r\nT: u\r\n\r\nGET /n HTTP/1.0\r\n\r\n",
        "GET /s/good/events?rate=2&after=x HTTP/1.1\r\nHost: x\r\nLast-Event-ID: 1-2\r\n\r\nabc",
        "GET /s/good/live HTTP/1.1\r\nHost: x\r\n\(upgrade)Origin: http://x\r\n\r\n",
        "GET /e HTTP/1.1\r\nHost: x\r\n\(upgrade)\r\n\u{01}\u{02}",
        "GET /d HTTP/1.1\r\nHost: x\r\n\(upgrade)Authorization: Bearer good\r\n"
            + "Sec-WebSocket-Protocol: a, pulsecast.device.v1\r\n\r\n",
        "OPTIONS http://x/a HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 1.2.3.4, [::1]:80\r\n"
            + "X-Forwarded-Proto: https\r\nConnection: close\r\n\r\n",
        "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\nabc",
    ].map { [3] + Array($0.utf8) }
}
