import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Transport

/// An event on a client's connection.
enum ClientEvent: Hashable, Sendable {
    /// Bytes of a TCP connection, split as the network delivered them.
    case bytes([UInt8])
    case text([UInt8])
    case binary([UInt8])
}

/// Receiver of a connection's events; called on the connection's loop.
struct ClientConsumer: Sendable {
    /// Called once per connection, so that the receiver can keep state. An error that the returned
    /// closure throws ends the connection.
    let makeTaker: @Sendable () -> (ClientEvent) throws(ClientError) -> Void
    /// Only the first call counts.
    let finish: @Sendable (ClientError?) -> Void
}

/// A client's connection over TCP or WebSocket.
struct ClientStream: Sendable {
    let channel: any Channel
    let isWebSocket: Bool

    /// Waits until the socket has accepted the bytes; this wait is the back-pressure.
    func send(_ bytes: [UInt8], binary: Bool) async throws(ClientError) {
        let buffer = channel.allocator.buffer(bytes: bytes)
        do {
            if isWebSocket {
                let frame = WebSocketFrame(
                    fin: true, opcode: binary ? .binary : .text, maskKey: .random(), data: buffer)
                try await channel.writeAndFlush(frame)
            } else {
                try await channel.writeAndFlush(buffer)
            }
        } catch {
            throw .connectionLost
        }
    }

    /// Sends a close frame and waits until the connection is closed.
    func close() async {
        if isWebSocket {
            var code = channel.allocator.buffer(capacity: 2)
            code.write(webSocketErrorCode: .normalClosure)
            let frame = WebSocketFrame(
                fin: true, opcode: .connectionClose, maskKey: .random(), data: code)
            // Fails only if the other side has already closed.
            try? await channel.writeAndFlush(frame)
        }
        try? await channel.close()
    }

    // MARK: - Connecting

    /// A server answers an upgrade within this time.
    private static let silenceMax: TimeAmount = .seconds(10)

    static func connect(
        to address: ServerAddress, fields: HTTPFields = HTTPFields(), tls: ClientTLS,
        _ consumer: ClientConsumer
    ) async throws(ClientError) -> ClientStream {
        switch address.scheme {
        case .tcp, .tcps:
            let channel = try await ClientBootstrap.connect(to: address, tls: tls) { channel in
                try channel.pipeline.syncOperations.addHandler(BytesReader(consumer))
                return channel
            }
            return ClientStream(channel: channel, isWebSocket: false)
        case .ws, .wss:
            let start = NIODeadline.now()
            let upgrade = try await ClientBootstrap.connect(to: address, tls: tls) { channel in
                let upgrade = try Self.upgrade(channel, address, fields, consumer)
                let patience = channel.eventLoop.scheduleTask(in: Self.silenceMax) {
                    channel.close(promise: nil)
                }
                upgrade.whenComplete { _ in patience.cancel() }
                return upgrade
            }
            let answer: Upgraded
            do { answer = try await upgrade.get() } catch {
                guard NIODeadline.now() - start < Self.silenceMax else {
                    throw .silent(seconds: Int(Self.silenceMax.nanoseconds / 1_000_000_000))
                }
                throw ClientError(error)
            }
            switch answer {
            case .socket(let channel):
                return ClientStream(channel: channel, isWebSocket: true)
            case .refused(let status):
                guard let number = try? await status.get() else { throw .connectionLost }
                throw .upgradeRefused(status: number)
            }
        case .http, .https, .unix: throw .badAddress("\(address)")
        }
    }

    private enum Upgraded: Sendable {
        case socket(any Channel)
        /// The library delivers the response only once it knows that the response is complete.
        case refused(status: EventLoopFuture<Int>)
    }

    private static func upgrade(
        _ channel: any Channel, _ address: ServerAddress, _ fields: HTTPFields,
        _ consumer: ClientConsumer
    ) throws -> EventLoopFuture<Upgraded> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Upgraded>(
            maxFrameSize: 1 << 24,
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    pipeline.removeHandler(
                        try pipeline.handler(type: RefusalReader.self), promise: nil)
                    try pipeline.addHandler(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 65_536,
                            maxAccumulatedFrameSize: 1 << 24))
                    try pipeline.addHandler(SocketReader(consumer))
                    return .socket(channel)
                }
            })
        var headers = HTTPHeaders([("Host", address.authority), ("Content-Length", "0")])
        for field in fields.fields { headers.add(name: field.name, value: field.value) }
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: address.target, headers: headers)
        let refusal = RefusalReader(eventLoop: channel.eventLoop)
        let status = refusal.status.futureResult
        let configuration = NIOTypedHTTPClientUpgradeConfiguration(
            upgradeRequestHead: head, upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
                channel.eventLoop.makeSucceededFuture(.refused(status: status))
            })
        var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: configuration)
        // The first messages may come in the same packet as the upgrade.
        pipeline.leftOverBytesStrategy = .forwardBytes
        let upgraded = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: pipeline)
        try channel.pipeline.syncOperations.addHandler(refusal)
        return upgraded
    }
}
