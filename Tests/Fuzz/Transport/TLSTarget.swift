import NIOCore
import NIOEmbedded
import Secrets

@testable import Transport

/// Records of a TLS client: the library gets the same bytes however the network split them, and no
/// forged record opens.
enum TLSTarget {
    /// Collects the bytes that the library would get.
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var bytes: [UInt8] = []

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += unwrapInboundIn(data).readableBytesView
        }
    }

    /// The first byte selects how the rest is split into chunks.
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let stream = Array(bytes.dropFirst())
        let whole = passed(stream, chunkBytes: max(1, stream.count))
        let cut = passed(stream, chunkBytes: Int(first) % 61 + 1)
        precondition(stream.starts(with: whole), "bytes were changed")
        precondition(whole == cut, "what is passed on depends on how the network cut it")
        for suite in [TLSTrafficKeys.Suite.aes128, .aes256, .chaCha20] {
            let secret = [UInt8](repeating: 7, count: suite == .aes256 ? 48 : 32)
            var keys = TLSTrafficKeys(suite: suite, secret: secret, sequence: 0)
            let opened = try? keys?.open(stream)
            precondition(opened == nil, "a record opened that nobody sealed")
        }
    }

    private static func passed(_ stream: [UInt8], chunkBytes: Int) -> [UInt8] {
        let collector = Collector()
        let channel = EmbeddedChannel()
        // With this turn no handshake waits for a timer, because nothing runs the loop.
        let gate = TLSRecordGate(
            store: TLSSecretStore(), counters: TransportCounters(),
            turns: NetworkTurns(channel.eventLoop, turn: .hours(1)),
            network: PeerAddress.unixSocket.widestNetwork
        ) { _ in true }
        // A new channel accepts all handlers.
        _ = try? channel.pipeline.syncOperations.addHandlers([gate, collector])
        for start in stride(from: 0, to: stream.count, by: chunkBytes) {
            let chunk = stream[start..<min(start + chunkBytes, stream.count)]
            // The handlers throw nothing.
            _ = try? channel.writeInbound(ByteBuffer(bytes: chunk))
        }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return collector.bytes
    }

    /// The start of a ClientHello, a ChangeCipherSpec and an application data record.
    static let seeds: [[UInt8]] = [
        [0, 22, 3, 1, 0, 43, 1, 0, 0, 39, 3, 3] + [UInt8](repeating: 9, count: 32) + [
            0, 0, 2, 19, 1,
        ],
        [7, 20, 3, 3, 0, 1, 1, 23, 3, 3, 0, 20] + [UInt8](repeating: 1, count: 20),
        [1, 22, 3, 1, 65, 1, 0],
    ]
}
