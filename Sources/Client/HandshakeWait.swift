import NIOCore
import NIOTLS

/// Waits for the end of a TLS handshake, so that its failure is the reason that a caller gets.
final class HandshakeWait: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    let end: EventLoopPromise<Void>

    init(eventLoop: any EventLoop) {
        end = eventLoop.makePromise()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { end.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end.fail(error)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end.fail(ClientError.connectionLost)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end.fail(ClientError.connectionLost)
    }
}
