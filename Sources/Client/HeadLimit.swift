import NIOCore

/// Limits the bytes before an answer: interim answers (RFC 9110, 15.2) may come without end, and
/// the library skips them.
final class HeadLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// A read may hold the head and some of the body.
    private static let bytesMax = 256 << 10

    /// Whether the answer's head has not come yet.
    var isAwaited = true
    private var bytes = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isAwaited {
            bytes += unwrapInboundIn(data).readableBytes
            guard bytes <= Self.bytesMax else {
                return context.fireErrorCaught(
                    ClientError.answerTooLarge(bytesMax: Self.bytesMax))
            }
        }
        context.fireChannelRead(data)
    }
}
