import NIOCore
import NIOPosix

extension ClientBootstrap {
    /// Connects and lets `prepare` add handlers, behind TLS if the address requires it.
    static func connect<Output: Sendable>(
        to address: ServerAddress, tls: ClientTLS,
        _ prepare: @escaping @Sendable (any Channel) throws -> Output
    ) async throws(ClientError) -> Output {
        let initialize: @Sendable (any Channel) -> EventLoopFuture<Output> = { channel in
            channel.eventLoop.makeCompletedFuture {
                if address.scheme.hasTLS {
                    try channel.pipeline.syncOperations.addHandler(tls.handler(for: address))
                }
                return try prepare(channel)
            }
        }
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(10))
        do {
            if address.scheme == .unix {
                return try await bootstrap.connect(
                    unixDomainSocketPath: address.host, channelInitializer: initialize)
            }
            return try await bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connect(host: address.host, port: address.port, channelInitializer: initialize)
        } catch {
            throw .cannotConnect(address: "\(address)", reason: Self.reason(error))
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason($0.error) } ?? "no such host"
        case let error as IOError: error.description
        case ChannelError.connectTimeout: "no answer"
        default: "\(error)"
        }
    }
}
