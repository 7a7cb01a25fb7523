import NIOCore

/// Limits the input of the HTTP parser, which buffers and parses without bound.
///
/// It passes on only as much as the connection needs, and otherwise stops reading the socket.
///
///     head --parsed--> body --its end--> answering --answered--> head
///       └-----refused-----┴---------------┴---------------------> ended: all is dropped
final class RequestBuffer: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Phase {
        /// The number of bytes of the head that were passed to the parser.
        case head(bytes: Int)
        case body
        case answering
        case ended
    }

    /// Bytes passed to the parser at once: they may contain many requests, and each costs more once
    /// parsed.
    private static let sliceBytes = 2048
    /// Maximum of held bytes. While the socket is not read, more arrive only when the peer ends its
    /// side.
    private static let heldBytesMax = 65_536

    private let headBytesMax: Int
    private var phase = Phase.head(bytes: 0)
    private var held = ByteBuffer()
    /// Body bytes of the current request, which are kept until it is answered.
    private var bodyBytes = 0
    private let ticket: ConnectionTicket
    private var isFeeding = false
    private var isReading = true
    private var context: ChannelHandlerContext?

    /// - Parameters:
    ///   - headBytesMax: A head with more bytes is refused (431).
    ///   - ticket: Counts held bytes and reports when they are too many (503).
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

    /// Whether a part of a head has arrived, but not all of it.
    var hasBegun: Bool {
        if case .head(let bytes) = phase { bytes > 0 } else { false }
    }

    /// Whether input waits for the end of the request that is being answered.
    var isHolding: Bool { held.readableBytes > 0 }

    // MARK: - From the connection

    func headEnded() {
        phase = .body
    }

    /// Holds further input until the request is answered.
    func requestEnded() {
        phase = .answering
    }

    /// Allows the next request.
    func requestAnswered() {
        phase = .head(bytes: 0)
        bodyBytes = 0
        // Holding less than before never exceeds the limit.
        _ = ticket.setReceived(held.readableBytes)
    }

    /// Passes on more input, once the connection can use it.
    func resume() {
        guard !isFeeding, let context else { return }
        guard held.readableBytes > 0 else { return setReading(true) }
        feed(context)
        context.fireChannelReadComplete()
    }

    /// Discards further input. It is still read, so that closing does not reset the connection.
    func end() {
        phase = .ended
        held = ByteBuffer()
        _ = ticket.setReceived(0)
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
            return context.channel.drop()
        }
        feed(context)
        guard !ticket.setReceived(bodyBytes + held.readableBytes) else { return }
        switch phase {
        case .head, .body: context.fireErrorCaught(HTTPRefusal.tooManyOfAll)
        case .answering: context.channel.drop()
        case .ended: break
        }
    }

    /// Passes on held input, as far as the connection can use it.
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
        // A new empty buffer frees the memory of the old one.
        held = ByteBuffer()
        setReading(true)
    }

    /// Passes held input to the successor when the connection leaves HTTP.
    func removeHandler(
        context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken
    ) {
        setReading(true)
        if held.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(held)) }
        held = ByteBuffer()
        _ = ticket.setReceived(0)
        context.fireChannelReadComplete()
        context.leavePipeline(removalToken: removalToken)
    }

    private func setReading(_ reading: Bool) {
        guard isReading != reading else { return }
        isReading = reading
        // Fails only on a closed channel.
        try? context?.channel.syncOptions?.setOption(.autoRead, value: reading)
    }
}
