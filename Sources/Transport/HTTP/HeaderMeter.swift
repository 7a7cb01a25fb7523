import NIOCore

/// Counts the bytes of a request's head before the parser sees them: it would buffer more.
final class HeaderMeter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let bytesMax: Int
    private var bytes = 0
    /// Whether a head is what comes.
    private(set) var isCounting = true

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// Whether some of a head has come, and not all of it.
    var hasBegun: Bool { isCounting && bytes > 0 }

    /// A head is complete; what follows is a body.
    func stop() {
        isCounting = false
        bytes = 0
    }

    /// The next request may come.
    func start() {
        isCounting = true
        bytes = 0
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        if isCounting {
            bytes += count
            // A body may follow in the same read; the head itself is measured when it is parsed.
            if bytes - count > bytesMax {
                context.fireErrorCaught(HTTPRefusal.headersTooLarge)
                return
            }
        }
        context.fireChannelRead(data)
    }
}
