import NIOCore
import NIOEmbedded
import NIOSSL
import Ring
import SensorModel
import Testing

@testable import Transport

/// An evicted connection ends at once, even if its TLS library has data to send.
@Suite struct ConnectionDropTests {
    /// Closes later, at an unknown time, like the TLS library with a peer that reads nothing.
    private final class ClosesLater: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        func close(
            context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
        ) {}
    }

    private static func state(_ loop: any EventLoop) -> LoopState {
        LoopState(
            eventLoop: loop,
            rings: LoopState.Rings(
                index: 0, inbound: ByteRing(capacity: 1 << 16),
                outbound: RingBuffer(capacity: 16), published: { 0 }),
            pace: BroadcastPace(), subscriberBytesMax: 256 << 10, counters: TransportCounters(),
            frameRates: FrameRates(), arrivalClock: { Timestamp(microseconds: 0) })
    }

    private static func channel(
        _ identity: TLSIdentity, _ counters: TransportCounters
    ) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([
            FlushGate(loop: state(channel.eventLoop), keepsReads: false),
            TLSRecordGate(
                store: identity.secrets, counters: counters,
                turns: NetworkTurns(channel.eventLoop, turn: .hours(1)),
                network: PeerAddress.unixSocket.widestNetwork
            ) { _ in true },
            NIOSSLServerHandler(context: identity.context), ClosesLater(),
        ])
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/peer")).wait()
        return channel
    }

    @Test func `A connection that others take the place of is closed at once`() async throws {
        try await TLSTests.withIdentity { identity, _ in
            let counters = TransportCounters()
            let admission = ConnectionAdmission(counters: counters)
            var limits = ConnectionLimits()
            (limits.unauthenticatedMax, limits.connectionsMax) = (2, 16)
            let channels = try (0..<3).map { _ in
                let channel = try Self.channel(identity, counters)
                _ = try admission.admit(channel, from: nil, as: .stranger, limits: limits).get()
                return channel
            }
            #expect(channels.map(\.isActive) == [false, true, true])
        }
    }

    @Test func `So is one whose answers others need the memory of`() async throws {
        try await TLSTests.withIdentity { identity, _ in
            let counters = TransportCounters()
            let admission = ConnectionAdmission(counters: counters)
            let pool = ByteAllowance.owed(.stranger).pooledBytes
            let held = try (0..<3).map { _ in
                let channel = try Self.channel(identity, counters)
                let ticket = try admission.admit(
                    channel, from: nil, as: .stranger, limits: ConnectionLimits()
                ).get()
                #expect(ticket.changeOwed(by: pool / 2 + ByteAllowance.owed(.stranger).ownBytes))
                return (channel, ticket)
            }
            #expect(held.map(\.0.isActive) == [false, true, true])
        }
    }

    @Test func `An order that nobody here knows goes on to the socket`() async throws {
        try await TLSTests.withIdentity { identity, _ in
            let channel = try Self.channel(identity, TransportCounters())
            channel.triggerUserOutboundEvent("unknown", promise: nil)
            #expect(channel.isActive)
        }
    }
}
