import Dispatch
import NIOCore
import NIOPosix
import Transport

/// Where a client may connect to.
public enum ClientReach: Sendable {
    case anywhere
    /// Only addresses of the internet, for a target that somebody else chose: the name is resolved
    /// once, and the connection goes to the address that was checked.
    case publicAddresses
}

extension ClientBootstrap {
    /// Connects and lets `prepare` add handlers, behind TLS if the address requires it. With TLS it
    /// returns after the handshake.
    static func connect<Output: Sendable>(
        to address: ServerAddress, tls: ClientTLS, reach: ClientReach = .anywhere,
        _ prepare: @escaping @Sendable (any Channel) throws -> Output
    ) async throws(ClientError) -> Output {
        let initialize: @Sendable (any Channel) -> EventLoopFuture<Prepared<Output>> = { channel in
            channel.eventLoop.makeCompletedFuture {
                guard address.scheme.hasTLS else {
                    return Prepared(output: try prepare(channel), handshake: nil)
                }
                let wait = HandshakeWait(eventLoop: channel.eventLoop)
                let handler = try tls.handler(for: address)
                try channel.pipeline.syncOperations.addHandlers(handler, wait)
                return Prepared(
                    output: try prepare(channel), handshake: wait.end.futureResult)
            }
        }
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(10))
        let prepared: Prepared<Output>
        do {
            if address.scheme == .unix {
                prepared = try await bootstrap.connect(
                    unixDomainSocketPath: address.host, channelInitializer: initialize)
            } else {
                let bootstrap = bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
                switch reach {
                case .anywhere:
                    prepared = try await bootstrap.connect(
                        host: address.host, port: address.port, channelInitializer: initialize)
                case .publicAddresses:
                    prepared = try await bootstrap.connect(
                        to: try await publicAddress(of: address), channelInitializer: initialize)
                }
            }
        } catch let error as ClientError {
            throw error
        } catch {
            throw .cannotConnect(address: "\(address)", reason: ClientError.reason(error))
        }
        do {
            try await prepared.handshake?.get()
        } catch {
            throw await failure(error, of: address, tls, reach)
        }
        return prepared.output
    }

    /// Why a handshake failed.
    private static func failure(
        _ error: any Error, of address: ServerAddress, _ tls: ClientTLS, _ reach: ClientReach
    ) async -> ClientError {
        if let error = error as? ChannelError {
            return .cannotConnect(address: "\(address)", reason: ClientError.reason(error))
        }
        let error = ClientError(error)
        // The reason of a refused certificate is not in the TLS library's error. There is no second
        // connection where somebody else chose the target.
        guard case .notTrusted = error, reach == .anywhere,
            let certificate = await ServerCertificate.presented(at: address)
        else { return error }
        return certificate.distrust(for: address.host, ca: tls.trustedCertificatesPath)
    }

    /// A name may take long to resolve, so each does on a thread of its own.
    private static let resolving = DispatchQueue(
        label: "pulsecast.resolving", attributes: .concurrent)

    /// Resolves a name, and checks that the address is one of the internet and not of this machine.
    private static func publicAddress(of address: ServerAddress) async throws -> SocketAddress {
        let found = try await withCheckedThrowingContinuation { continuation in
            resolving.async {
                continuation.resume(
                    with: Result {
                        try SocketAddress.makeAddressResolvingHost(
                            address.host, port: address.port)
                    })
            }
        }
        let own = (try? System.enumerateDevices())?.compactMap { $0.address?.ipAddress } ?? []
        guard let text = found.ipAddress, !own.contains(text),
            PeerAddress(text)?.isOfInternet ?? false
        else {
            throw ClientError.cannotConnect(
                address: "\(address)", reason: "it is no address of the internet")
        }
        return found
    }
}

/// The result for a connection's caller, and the end of its handshake; `nil` without TLS.
private struct Prepared<Output: Sendable>: Sendable {
    let output: Output
    let handshake: EventLoopFuture<Void>?
}
