import NIOCore
import NIOEmbedded
import Testing

@testable import Transport

@Suite struct NetworkTurnsTests {
    /// Notes the connection whose record came through.
    private final class Through: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let note: () -> Void

        init(_ note: @escaping () -> Void) { self.note = note }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { note() }
    }

    /// A ClientHello's beginning, in a whole record.
    private static let hello: [UInt8] =
        [22, 3, 1, 0, 43, 1, 0, 0, 39, 3, 3] + [UInt8](repeating: 9, count: 37)

    @Test func `Handshakes leave time for others, and networks take turns`() throws {
        let loop = EmbeddedEventLoop()
        var now = NIODeadline.uptimeNanoseconds(0)
        let turns = NetworkTurns(loop, clock: { now })
        var through: [String] = []
        var channels: [EmbeddedChannel] = []
        func begin(_ name: String, from address: [UInt8]) throws {
            let peer = try #require(PeerAddress(bytes: address))
            let channel = EmbeddedChannel(loop: loop)
            let gate = TLSRecordGate(
                store: TLSSecretStore(), counters: TransportCounters(), turns: turns,
                network: peer.widestNetwork
            ) { _ in true }
            try channel.pipeline.syncOperations.addHandlers([
                // Each one takes 5 ms, which uses up its turn.
                gate,
                Through {
                    through.append(name)
                    now = now + .milliseconds(5)
                },
            ])
            channels.append(channel)
            // Sent in two parts, neither of which bypasses the turn.
            try channel.writeInbound(ByteBuffer(bytes: Self.hello.prefix(7)))
            try channel.writeInbound(ByteBuffer(bytes: Self.hello.dropFirst(7)))
        }
        for number in 1...4 {
            try begin("stranger \(number)", from: [192, 0, 2, UInt8(number)])
        }
        try begin("runner", from: [198, 51, 100, 7])
        #expect(through == ["stranger 1"])
        for count in 2...5 {
            // The others get as much time as the last one took.
            now = now + .milliseconds(4)
            loop.advanceTime(to: now)
            #expect(through.count == count - 1)
            now = now + .milliseconds(1)
            loop.advanceTime(to: now)
            #expect(through.count == count)
        }
        #expect(through[2] == "runner", "\(through)")
        // A connection that closed while it waited is skipped.
        try begin("left", from: [192, 0, 2, 9])
        #expect(turns.count == 1)
        channels.removeLast().close(promise: nil)
        loop.run()
        #expect(turns.count == 0)
        try begin("last", from: [192, 0, 2, 10])
        now = now + .milliseconds(5)
        loop.advanceTime(to: now)
        #expect(through.last == "last" && !through.contains("left"))
    }
}
