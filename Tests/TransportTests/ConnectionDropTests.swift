import Glibc
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
        try addTLS(NIOSSLServerHandler(context: identity.context), identity, counters, to: channel)
        try channel.pipeline.syncOperations.addHandler(ClosesLater())
        try connect(channel)
        return channel
    }

    private static func connect(_ channel: EmbeddedChannel) throws {
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/peer")).wait()
    }

    private static func addTLS(
        _ library: NIOSSLServerHandler, _ identity: TLSIdentity, _ counters: TransportCounters,
        to channel: EmbeddedChannel
    ) throws {
        try channel.pipeline.syncOperations.addHandlers([
            FlushGate(loop: state(channel.eventLoop), keepsReads: false),
            TLSRecordGate(
                store: identity.secrets, counters: counters,
                turns: NetworkTurns(channel.eventLoop, turn: .hours(1)),
                network: PeerAddress.unixSocket.widestNetwork
            ) { _ in true },
            library,
        ])
    }

    /// As a client that knows TLS 1.2 and no later version.
    private static func shakeHands(with server: EmbeddedChannel) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.maximumTLSVersion = .tlsv12
        configuration.certificateVerification = .none
        let client = EmbeddedChannel()
        try client.pipeline.syncOperations.addHandler(
            try NIOSSLClientHandler(
                context: try NIOSSLContext(configuration: configuration), serverHostname: nil))
        try connect(client)
        var hasMoved = true
        while hasMoved {
            hasMoved = false
            for (from, to) in [(client, server), (server, client)] {
                while let bytes = try from.readOutbound(as: ByteBuffer.self) {
                    try to.writeInbound(bytes)
                    hasMoved = true
                }
            }
        }
    }

    /// What a connection can be that its TLS library serves.
    enum Kind: CaseIterable {
        case device
        case http
        case webSocket
        case eventStream

        fileprivate func add(to channel: EmbeddedChannel, _ ticket: ConnectionTicket) throws {
            let loop = ConnectionDropTests.state(channel.eventLoop)
            let daemon = FakeDaemon()
            let listener = ListenerConfiguration(
                name: "test", address: .unixSocket(path: "/test"), service: .http(Router()))
            let service = HTTPService(listener, Router(), devices: daemon, viewers: daemon)
            let socket = UpgradedSocket(
                channel: channel, loop: loop, service: service,
                request: HTTPRequest(method: .get, path: "/", peer: .unixSocket), ticket: ticket,
                records: nil)
            let pipeline = channel.pipeline.syncOperations
            switch self {
            case .device:
                let origin = DeviceOrigin(
                    transport: .tcp, headerToken: nil, peer: .unixSocket, isSecure: true)
                try pipeline.addHandler(
                    DeviceSocket(
                        loop: loop, gate: daemon, limits: service.limits, origin: origin,
                        ticket: ticket))
            case .http:
                try HTTPConnection(loop: loop, service: service, ticket: ticket, peer: .unixSocket)
                    .add(to: pipeline)
            case .webSocket:
                try pipeline.addHandler(WebSocketChannel(socket, EchoSocket(socket), head: []))
            case .eventStream:
                let share = ResolvedShare(key: FakeDaemon.share, idHash: .zero)
                try pipeline.addHandler(EventStream(socket, share: share, head: []))
            }
        }
    }

    /// Otherwise whoever resets 2,000 connections a second has 400 MB that nobody counts.
    @Test(arguments: Kind.allCases)
    func `What the TLS library keeps ends with a connection that was reset`(kind: Kind)
        async throws
    {
        try await TLSTests.withIdentity { identity, _ in
            let counters = TransportCounters()
            let channel = EmbeddedChannel()
            weak var library: NIOSSLServerHandler?
            do {
                let made = NIOSSLServerHandler(context: identity.context)
                library = made
                try Self.addTLS(made, identity, counters, to: channel)
            }
            let ticket = try ConnectionAdmission(counters: counters).admit(
                channel, from: nil, as: .stranger, limits: ConnectionLimits()
            ).get()
            try kind.add(to: channel, ticket)
            try Self.connect(channel)
            try Self.shakeHands(with: channel)
            #expect(library?.tlsVersion == .tlsv12)
            channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNRESET, reason: "reset"))
            #expect(!channel.isActive)
            // As the library of sockets does behind the error.
            channel.drop(isReset: false)
            channel.embeddedEventLoop.run()
            #expect(library == nil, "a timer keeps it")
        }
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
