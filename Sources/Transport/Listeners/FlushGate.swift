import Glibc
import NIOCore

/// Delivers data that is read during a flush, and the close of a device's connection, only after
/// the handlers' current call, so that they are not re-entered.
///
/// When a write fails, the library reads the rest of the socket inside the flush, and closes the
/// channel after it (`BaseSocketChannel.flushNow` of swift-nio 2). A handler that answers the data
/// would be called again while its parser is in use, and Swift ends the process at such an
/// overlapping access. So any peer that sends a few wrong lines and resets the connection could
/// end the daemon.
///
/// On a device's TCP connection the data is kept, because `cat file | nc` ends with a reset once an
/// ack arrives. It is delivered in the loop's next task. So is each close of such a connection:
/// a handler that closes its channel, or whose write fails, is in the middle of a frame.
///
///     passing --read in a flush, or closed--> holding --next task--> passing
///
/// On other connections the data is dropped, and the close passes at once: ``ViewerSink`` must not
/// use a closed descriptor. In both cases none of the data was acknowledged. Decision 0057 has the
/// alternatives.
///
/// The gate is the handler nearest to the socket. Loop only.
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
    ///   - keepsReads: Whether data read in a flush is delivered after it; otherwise it is dropped.
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
        guard keepsReads else { return context.fireChannelInactive() }
        hold(.inactive, context)
    }

    private var isHolding: Bool { isFlushing || !held.isEmpty }

    private func hold(_ event: Event, _ context: ChannelHandlerContext) {
        if held.isEmpty {
            let bound = NIOLoopBound((gate: self, context: context), eventLoop: context.eventLoop)
            // The library removes a closed channel's handlers in a task behind this one.
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
