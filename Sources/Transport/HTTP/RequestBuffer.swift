import NIOCore

/// Stands before the HTTP parser, which buffers and parses without bound: hands it no more than the
/// connection has use for, and stops the socket from being read meanwhile.
///
///     head --parsed--> body --its end--> answering --answered--> head
///       └-----refused-----┴---------------┴---------------------> ended: all is dropped
final class RequestBuffer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Phase {
        /// The parser has this many bytes of it.
        case head(bytes: Int)
        case body
        case answering
        case ended
    }

    /// What the parser gets at once: many requests may lie in it, and each costs more parsed.
    private static let sliceBytes = 2048
    /// While the socket is not read, more comes only when the peer ends its side.
    private static let heldBytesMax = 65_536

    private let headBytesMax: Int
    private var phase = Phase.head(bytes: 0)
    private var held = ByteBuffer()
    /// Of the request under way; its body is kept until it is answered.
    private var bodyBytes = 0
    private let ticket: ConnectionTicket
    private var isFeeding = false
    private var isReading = true
    private var context: ChannelHandlerContext?

    /// - Parameters:
    ///   - headBytesMax: More before a head is complete is refused (431).
    ///   - ticket: Counts what is held, and says when it is too much (503).
    init(headBytesMax: Int, ticket: ConnectionTicket) {
        self.headBytesMax = headBytesMax
        self.ticket = ticket
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    /// Whether some of a head has come, and not all of it.
    var hasBegun: Bool {
        if case .head(let bytes) = phase { bytes > 0 } else { false }
    }

    // MARK: - From the connection

    func headEnded() {
        phase = .body
    }

    /// What follows waits until the request is answered.
    func requestEnded() {
        phase = .answering
    }

    /// The next request may come.
    func requestAnswered() {
        phase = .head(bytes: 0)
        bodyBytes = 0
        // Less than before never is too much.
        _ = ticket.holdsReceived(held.readableBytes)
    }

    /// The connection has use for more.
    func resume() {
        guard !isFeeding, let context else { return }
        guard held.readableBytes > 0 else { return setReading(true) }
        feed(context)
        context.fireChannelReadComplete()
    }

    /// What comes from here on is read, so that closing does not reset, and dropped.
    func end() {
        phase = .ended
        held = ByteBuffer()
        _ = ticket.holdsReceived(0)
        setReading(true)
    }

    // MARK: - From the socket

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if case .ended = phase { return }
        if held.readableBytes == 0 {
            held = bytes
        } else if held.readableBytes + bytes.readableBytes <= Self.heldBytesMax {
            held.writeBuffer(&bytes)
        } else {
            return context.close(promise: nil)
        }
        feed(context)
        guard !ticket.holdsReceived(bodyBytes + held.readableBytes) else { return }
        switch phase {
        case .head, .body: context.fireErrorCaught(HTTPRefusal.tooManyOfAll)
        case .answering: context.close(promise: nil)
        case .ended: break
        }
    }

    /// Hands on what is held, as far as the connection has use for it.
    private func feed(_ context: ChannelHandlerContext) {
        guard !isFeeding else { return }
        isFeeding = true
        defer { isFeeding = false }
        while let slice = held.readSlice(length: min(held.readableBytes, Self.sliceBytes)),
            slice.readableBytes > 0
        {
            switch phase {
            case .head(let bytes) where bytes > headBytesMax:
                context.fireErrorCaught(HTTPRefusal.headersTooLarge)
                return
            case .head(let bytes): phase = .head(bytes: bytes + slice.readableBytes)
            case .body: bodyBytes += slice.readableBytes
            case .answering:
                held.moveReaderIndex(to: held.readerIndex - slice.readableBytes)
                return setReading(false)
            case .ended: return
            }
            context.fireChannelRead(wrapInboundOut(slice))
        }
        // An empty one: the bytes' memory is not kept for what may come.
        held = ByteBuffer()
        setReading(true)
    }

    /// The connection stops being HTTP: its successor gets what is held.
    func removeHandler(
        context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken
    ) {
        setReading(true)
        if held.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(held)) }
        held = ByteBuffer()
        _ = ticket.holdsReceived(0)
        context.fireChannelReadComplete()
        context.leavePipeline(removalToken: removalToken)
    }

    private func setReading(_ reading: Bool) {
        guard isReading != reading else { return }
        isReading = reading
        // Fails only on a channel that is closed.
        try? context?.channel.syncOptions?.setOption(.autoRead, value: reading)
    }
}
