import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Passes bytes received over TCP to the client.
final class BytesReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let take: (ClientEvent) throws(ClientError) -> Void
    private let finish: (ClientError?) -> Void

    init(_ consumer: ClientConsumer) {
        take = consumer.makeTaker()
        finish = consumer.finish
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do throws(ClientError) {
            try take(.bytes(Array(unwrapInboundIn(data).readableBytesView)))
        } catch { errorCaught(context: context, error: error) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(ClientError(error))
        context.close(promise: nil)
    }
}

/// Passes whole WebSocket messages to the client; answers pings and the close.
final class SocketReader: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let take: (ClientEvent) throws(ClientError) -> Void
    private let finish: (ClientError?) -> Void

    init(_ consumer: ClientConsumer) {
        take = consumer.makeTaker()
        finish = consumer.finish
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // The channel closed during the upgrade: no other event will report it.
        if !context.channel.isActive { finish(.connectionLost) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        var payload = frame.unmaskedData
        switch frame.opcode {
        case .text: take(.text(Array(payload.readableBytesView)), context)
        case .binary: take(.binary(Array(payload.readableBytesView)), context)
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: payload)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .connectionClose:
            let code = payload.readInteger(as: UInt16.self)
            if let code, code != 1000 {
                finish(.closed(code: code))
            } else {
                finish(nil)
            }
            let answer = WebSocketFrame(
                fin: true, opcode: .connectionClose, maskKey: .random(), data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
            context.close(promise: nil)
        default: break
        }
    }

    private func take(_ event: ClientEvent, _ context: ChannelHandlerContext) {
        do throws(ClientError) { try take(event) } catch {
            errorCaught(context: context, error: error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.connectionLost)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(ClientError(error))
        context.close(promise: nil)
    }
}

/// Waits for the status of a refused upgrade.
final class RefusalReader: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart

    let status: EventLoopPromise<Int>

    init(eventLoop: any EventLoop) {
        status = eventLoop.makePromise()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After an upgrade the data is frames, which another handler reads.
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        status.succeed(Int(head.status.code))
        context.close(promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        status.fail(ClientError.connectionLost)
    }

    func channelInactive(context: ChannelHandlerContext) {
        status.fail(ClientError.connectionLost)
        context.fireChannelInactive()
    }
}
