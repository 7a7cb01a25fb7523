import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import SensorModel

/// One listening socket: accepts connections, counts them, and installs their handlers.
struct Listener: Sendable {
    let configuration: ListenerConfiguration
    let loops: LoopGroup
    let admission: ConnectionAdmission
    private let devices: any DeviceGate
    /// `nil`: the listener serves devices on TCP.
    private let service: HTTPService?

    init(
        _ configuration: ListenerConfiguration, loops: LoopGroup, admission: ConnectionAdmission,
        devices: any DeviceGate, viewers: any ViewerGate
    ) {
        self.configuration = configuration
        self.loops = loops
        self.admission = admission
        self.devices = devices
        if case .http(let router) = configuration.service {
            service = HTTPService(configuration, router, devices: devices, viewers: viewers)
        } else {
            service = nil
        }
    }

    func open() async throws(TransportError) -> any Channel {
        do { return try await open(at: configuration.address) } catch { throw failure(error) }
    }

    /// - Returns: The channel at the spare place; `nil` if there is none, or it cannot be opened.
    func openSpare() async -> (any Channel)? {
        guard let path = configuration.spareSocket() else { return nil }
        // The error is not needed: the commands say where they looked for the socket.
        return try? await open(at: .unixSocket(path: path))
    }

    private func failure(_ error: any Error) -> TransportError {
        let (name, address) = (configuration.name, configuration.address)
        let number = (error as? IOError)?.errnoCode
        if case .unixSocket = address, let number, Self.diskErrors.contains(number) {
            return .diskRefusesSocket(listener: name, DiskTrouble(number: number))
        }
        return .cannotListen(
            listener: name, address: address.text, reason: number.map(Self.reason) ?? "\(error)")
    }

    private static let diskErrors: Set<CInt> = [ENOSPC, EDQUOT, EROFS, EIO]

    private func open(at address: ListenAddress) async throws -> any Channel {
        let bootstrap = ServerBootstrap(group: loops.threads)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.socketOption(.so_sndbuf), value: KernelBuffers.sentBytes)
            .serverChannelOption(.socketOption(.so_rcvbuf), value: KernelBuffers.receivedBytes)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.accept(channel) }
            }
        switch address {
        case .tcp(let host, let port):
            return try await bootstrap.bind(host: host, port: port).get()
        case .descriptor(let descriptor):
            return try await bootstrap.withBoundSocket(descriptor).get()
        case .unixSocket(let path):
            // The mask keeps other users out at every moment, also between bind and chmod.
            let mask = umask(0o177)
            defer { _ = umask(mask) }
            return try await bootstrap.bind(
                unixDomainSocketPath: path, cleanupExistingSocketFile: true
            ).get()
        }
    }

    /// Whether the kernel gives a connection the buffers of its listening socket. A Unix socket's
    /// connections get the defaults, and those of a socket that systemd opened may be older than
    /// the daemon. `TCP_NODELAY`, which the library sets on listening sockets, always passes on.
    private var passesBuffersOn: Bool {
        if case .tcp = configuration.address { true } else { false }
    }

    private static func reason(_ code: CInt) -> String {
        switch code {
        case EADDRINUSE: "something else listens there already"
        case EACCES, EPERM: "not permitted"
        case EADDRNOTAVAIL: "this machine has no such address"
        default: "error \(code)"
        }
    }

    private static let reads = AdaptiveRecvByteBufferAllocator(
        minimum: 512, initial: 2048, maximum: 16384)

    /// Runs on the new connection's loop, before the first read.
    private func accept(_ channel: any Channel) throws {
        // A peer that has already reset has no address and reads no answer; its data still counts.
        let peer = channel.remoteAddress?.peer ?? .unixSocket
        let limits = configuration.limits
        // A proxy's connections belong to many viewers.
        let isMany = peer.isLoopback || configuration.trustedProxies.contains(peer)
        guard
            case .success(let ticket) = admission.admit(
                channel, from: isMany ? nil : peer, as: configuration.connections, limits: limits)
        else {
            // An error here closes the connection.
            throw ChannelError.alreadyClosed
        }
        do { try addHandlers(to: channel, from: peer, ticket) } catch {
            // Otherwise the place stays taken: the handlers that release it may be missing.
            ticket.release()
            throw error
        }
    }

    private func addHandlers(
        to channel: any Channel, from peer: PeerAddress, _ ticket: ConnectionTicket
    ) throws {
        if !passesBuffersOn { try KernelBuffers.limit(channel) }
        let options = channel.syncOptions
        // One read per connection and round. Otherwise a device that sends one line a second waits
        // for all reads of devices that send as fast as they can.
        try options?.setOption(.maxMessagesPerRead, value: 1)
        try options?.setOption(.recvAllocator, value: Self.reads)
        let pipeline = channel.pipeline.syncOperations
        let state = loops.state(of: channel.eventLoop)
        state.makeRoomForConnection()
        try pipeline.addHandler(FlushGate(loop: state, keepsReads: service == nil))
        let records = try addTLS(to: pipeline, state, peer, ticket)
        if let service {
            try HTTPConnection(
                loop: state, service: service, ticket: ticket, peer: peer, records: records
            ).add(to: pipeline)
        } else {
            let origin = DeviceOrigin(
                transport: .tcp, headerToken: nil, peer: peer,
                isSecure: configuration.identity != nil)
            // TLS sends a closing message, and both sides end together: no half-closure there.
            if configuration.identity == nil {
                try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
            }
            try pipeline.addHandler(
                DeviceSocket(
                    loop: state, gate: devices, limits: configuration.limits, origin: origin,
                    ticket: ticket, records: records))
        }
    }

    /// - Returns: `nil` without TLS.
    private func addTLS(
        to pipeline: ChannelPipeline.SynchronousOperations, _ state: LoopState,
        _ peer: PeerAddress, _ ticket: ConnectionTicket
    ) throws -> TLSRecordGate? {
        guard let identity = configuration.identity else { return nil }
        let records = TLSRecordGate(
            store: identity.secrets, counters: loops.counters, turns: state.handshakeTurns,
            network: peer.widestNetwork, setRecord: { ticket.setRecord($0) })
        try pipeline.addHandlers(records, NIOSSLServerHandler(context: identity.context))
        return records
    }
}

extension ListenAddress {
    var text: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .descriptor(let number): "descriptor \(number)"
        case .unixSocket(let path): path
        }
    }
}
