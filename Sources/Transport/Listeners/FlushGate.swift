import Glibc
import NIOCore

/// Delivers what is read during a flush after the flush, so that no handler is entered twice.
///
/// When a write fails, the library reads the rest of the socket inside the flush, and closes the
/// channel after it (`BaseSocketChannel.flushNow` of swift-nio 2). A handler that answers what it
/// reads would be called again in the middle of that, while its parser is in use. Swift ends the
/// process at such a second access. So everybody who sends a few wrong lines and resets the
/// connection could end the daemon.
///
/// Of a device's TCP connection the frames are kept, as `cat file | nc` ends with a reset once an ack
/// comes. They are delivered in the loop's next task, the close behind them:
///
///     passing --read in a flush--> holding, the close too --next task--> passing
///
/// Elsewhere they are dropped, and the close passes at once: ``ViewerSink`` must not use a
/// descriptor that is closed. In both cases nothing of it was acknowledged. Decision 0057 has the
/// alternatives.
///
/// It is the handler nearest to the socket. Loop only.
final class FlushGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Event {
        case read(ByteBuffer)
        case readComplete
        case inactive
    }

    private let loop: LoopState
    private let keepsReads: Bool
    private var isFlushing = false
    private var held: [Event] = []
    private var heldBytes = 0

    /// - Parameters:
    ///   - loop: The channel's loop.
    ///   - keepsReads: Whether what is read in a flush is delivered after it, else dropped.
    init(loop: LoopState, keepsReads: Bool) {
        self.loop = loop
        self.keepsReads = keepsReads
    }

    func flush(context: ChannelHandlerContext) {
        // The library ignores a flush within a flush.
        let wasFlushing = isFlushing
        isFlushing = true
        context.flush()
        isFlushing = wasFlushing
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard let drop = event as? ConnectionDrop else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        if drop.isReset, let socket = context.channel as? any SocketOptionProvider {
            _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        context.close(promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isHolding else { return context.fireChannelRead(data) }
        let bytes = unwrapInboundIn(data)
        let count = bytes.readableBytes
        guard keepsReads, loop.bytesReadInFlushes + count <= ByteAllowance.readInFlushesMax
        else { return }
        loop.bytesReadInFlushes += count
        heldBytes += count
        hold(.read(bytes), context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard isHolding else { return context.fireChannelReadComplete() }
        if keepsReads { hold(.readComplete, context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard !held.isEmpty else { return context.fireChannelInactive() }
        hold(.inactive, context)
    }

    private var isHolding: Bool { isFlushing || !held.isEmpty }

    private func hold(_ event: Event, _ context: ChannelHandlerContext) {
        if held.isEmpty {
            let bound = NIOLoopBound((gate: self, context: context), eventLoop: context.eventLoop)
            // The library removes a closed channel's handlers in a later task.
            context.eventLoop.execute { bound.value.gate.deliver(bound.value.context) }
        }
        held.append(event)
    }

    private func deliver(_ context: ChannelHandlerContext) {
        loop.bytesReadInFlushes -= heldBytes
        heldBytes = 0
        let events = held
        held = []
        for event in events {
            switch event {
            case .read(let bytes): context.fireChannelRead(wrapInboundOut(bytes))
            case .readComplete: context.fireChannelReadComplete()
            case .inactive: context.fireChannelInactive()
            }
        }
    }
}
