import NIOCore
import NIOPosix

extension ClientBootstrap {
    /// Connects and lets `prepare` add handlers, behind TLS if the address requires it. With TLS it
    /// returns after the handshake.
    static func connect<Output: Sendable>(
        to address: ServerAddress, tls: ClientTLS,
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
                prepared = try await bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(
                        host: address.host, port: address.port, channelInitializer: initialize)
            }
        } catch {
            throw .cannotConnect(address: "\(address)", reason: ClientError.reason(error))
        }
        do {
            try await prepared.handshake?.get()
        } catch let error as ChannelError {
            throw .cannotConnect(address: "\(address)", reason: ClientError.reason(error))
        } catch { throw ClientError(error) }
        return prepared.output
    }
}

/// The result for a connection's caller, and the end of its handshake; `nil` without TLS.
private struct Prepared<Output: Sendable>: Sendable {
    let output: Output
    let handshake: EventLoopFuture<Void>?
}
