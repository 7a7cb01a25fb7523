import NIOCore
import NIOTLS

/// Waits for the end of a TLS handshake, so that a caller gets the reason of a failure.
final class HandshakeWait: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    let end: EventLoopPromise<Void>
    private let secondsMax: Int64
    private var timeout: Scheduled<Void>?

    init(eventLoop: any EventLoop, secondsMax: Int64 = 10) {
        end = eventLoop.makePromise()
        self.secondsMax = secondsMax
    }

    /// Starts a timeout, because a server may accept and never complete the handshake.
    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        timeout = context.eventLoop.scheduleTask(in: .seconds(secondsMax)) { [end, secondsMax] in
            end.fail(ChannelError.connectTimeout(.seconds(secondsMax)))
            channel.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            timeout?.cancel()
            end.succeed()
        }
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
        timeout?.cancel()
        end.fail(ClientError.connectionLost)
    }
}
