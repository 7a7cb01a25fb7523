import NIOCore
import NIOHTTP1
import Transport

/// Passes an answer's parts to the client.
final class AnswerReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let parts: AsyncThrowingStream<HTTPClient.Part, any Error>.Continuation
    private let limit: HeadLimit
    private let bodyBytesMax: Int
    private let silenceSecondsMax: Int
    private var bodyBytes = 0

    init(
        _ parts: AsyncThrowingStream<HTTPClient.Part, any Error>.Continuation, _ limit: HeadLimit,
        bodyBytesMax: Int, silenceSecondsMax: Int
    ) {
        self.parts = parts
        self.limit = limit
        self.bodyBytesMax = bodyBytesMax
        self.silenceSecondsMax = silenceSecondsMax
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            limit.isAwaited = false
            let fields = head.headers.map { HTTPFields.Field(name: $0.name, value: $0.value) }
            parts.yield(.head(status: Int(head.status.code), fields: HTTPFields(fields)))
        case .body(let buffer):
            bodyBytes += buffer.readableBytes
            guard bodyBytes <= bodyBytesMax else {
                parts.finish(throwing: ClientError.answerTooLarge(bytesMax: bodyBytesMax))
                return context.close(promise: nil)
            }
            parts.yield(.bytes(Array(buffer.readableBytesView)))
        case .end:
            parts.finish()
            context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        parts.finish(throwing: ClientError.silent(seconds: silenceSecondsMax))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // After the end of the answer this call has no effect.
        parts.finish(throwing: ClientError.connectionLost)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        parts.finish(throwing: ClientError(error))
        context.close(promise: nil)
    }
}
