import NIOCore
import NIOEmbedded
import Testing

@testable import Transport

struct TLSRecordWorkTests {
    private static let start = NIODeadline.now()

    /// Number of records of `bytes` bytes that are admitted in sequence, at `perSecond` a second.
    private func admitted(
        bytes: Int, perSecond: Int64, of count: Int, isKeyUpdate: Bool = false
    ) -> Int {
        var work = TLSRecordWork()
        for number in 0..<count {
            let nanoseconds = Int64(number) * 1_000_000_000 / perSecond
            work.advance(to: Self.start + .nanoseconds(nanoseconds))
            guard work.admit(bytes: bytes), !isKeyUpdate || work.admitKeyUpdate() else {
                return number
            }
        }
        return count
    }

    @Test(arguments: [(16, 1_000_000), (20, 1_000_000), (6, 100), (1, 200)] as [(Int, Int64)])
    func `Whoever sends content, or little, is never stopped`(bytes: Int, perSecond: Int64) {
        #expect(admitted(bytes: bytes, perSecond: perSecond, of: 100_000) == 100_000)
    }

    @Test(arguments: [(0, 1024), (1, 1092), (-7, 1024), (8, 2048)])
    func `Of small records at once so many are taken`(bytes: Int, count: Int) {
        #expect(
            (count...(count + 5)).contains(
                admitted(bytes: bytes, perSecond: 1_000_000, of: 10_000)))
    }

    @Test func `Of what may be a key update fewer are taken than of other small records`() {
        var work = TLSRecordWork()
        #expect((0..<1000).count { _ in work.admit(bytes: 5, isOpened: false) } == 128)
    }

    @Test func `Of key updates fewer are taken`() {
        let taken = admitted(bytes: 5, perSecond: 1_000_000, of: 10_000, isKeyUpdate: true)
        #expect((30...33).contains(taken))
        #expect(admitted(bytes: 5, perSecond: 5, of: 10_000, isKeyUpdate: true) == 10_000)
    }

    /// Counts the records that the gate passes on.
    private final class Count: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private(set) var records = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { records += 1 }
    }

    /// A ServerHello without a session, in a whole record.
    private static func serverHello(_ suite: UInt16) -> [UInt8] {
        [22, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3] + [UInt8](repeating: 9, count: 32)
            + [0, UInt8(suite >> 8), UInt8(suite & 0xFF), 0]
    }

    /// The library opens the records of requests, whose version only the ServerHello tells.
    @Test(arguments: [(0xC02F, 5 + 8 + 1 + 16), (0x1301, 5 + 1 + 1 + 16)] as [(UInt16, Int)])
    func `Of records with one byte as many are taken with TLS 1.2 as with 1.3`(
        suite: UInt16, recordBytes: Int
    ) throws {
        let (channel, count) = (EmbeddedChannel(), Count())
        let gate = TLSRecordGate(
            store: TLSSecretStore(), counters: TransportCounters(),
            turns: NetworkTurns(channel.eventLoop, turn: .hours(1)),
            network: PeerAddress.unixSocket.widestNetwork
        ) { _ in true }
        try channel.pipeline.syncOperations.addHandlers([gate, count])
        try channel.writeInbound(
            ByteBuffer(
                bytes: [22, 3, 1, 0, 43, 1, 0, 0, 39, 3, 3] + [UInt8](repeating: 9, count: 37)))
        #expect(count.records == 1)
        try channel.writeOutbound(ByteBuffer(bytes: Self.serverHello(suite)))
        gate.handshakeFinished()
        let record =
            [23, 3, 3, 0, UInt8(recordBytes - 5)] + [UInt8](repeating: 1, count: recordBytes - 5)
        // In one read, so that no time passes between them.
        let records = repeatElement(record, count: 2000).flatMap { $0 }
        try channel.writeInbound(ByteBuffer(bytes: records))
        #expect(count.records == 1 + 1092)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
