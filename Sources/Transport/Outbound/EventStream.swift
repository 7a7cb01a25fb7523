import NIOCore
import SensorModel

/// A viewer of server-sent events: a response whose body has no end.
final class EventStream: ChannelInboundHandler, DeadlineMember, LoopConnection {
    typealias InboundIn = ByteBuffer

    private static let comment = Array(":\n\n".utf8)

    private let service: HTTPService
    private let loop: LoopState
    private let ticket: ConnectionTicket
    private let rateHertz: Float
    /// The request that opens the stream; `nil` once it is open.
    private var subscription: SubscriptionRequest?
    private let sink: ViewerSink
    private var viewer: Viewer?
    private var deadline: Deadline?
    private var isClosing = false

    init(_ upgraded: UpgradedSocket, share: ResolvedShare, head: [UInt8]) {
        service = upgraded.service
        loop = upgraded.loop
        ticket = upgraded.ticket
        rateHertz = upgraded.rateHertz
        subscription = upgraded.subscription(share, kind: .eventStream)
        sink = ViewerSink(upgraded, head: head)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard let request = subscription else { return }
        subscription = nil
        loop.add(self)
        loop.setDeadline(
            &deadline, of: self, inSeconds: service.limits.eventStreamCommentSeconds)
        let viewer = Viewer(
            id: request.subscriber, key: request.key, form: .eventStream, sink: sink,
            gate: service.viewers, rateHertz: rateHertz
        ) { [weak self] in self?.goAway($0) }
        self.viewer = viewer
        sink.drained = { [unowned self] in
            if let viewer = self.viewer { loop.viewers.drained(viewer) }
        }
        loop.viewers.add(viewer)
        service.viewers.subscribe(request)
        sink.sendHeadSoon()
    }

    /// Drops input: a viewer of a stream sends nothing.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func channelInactive(context: ChannelHandlerContext) {
        sink.channelIsGone()
        deadline?.cancel()
        loop.remove(self)
        ticket.release()
        guard let viewer else { return }
        self.viewer = nil
        loop.viewers.remove(viewer)
        service.viewers.unsubscribe(viewer.id, from: viewer.key)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.channel.drop(isReset: false)
    }

    func deadlineReached(_ tick: Int) -> Int? {
        guard !isClosing else {
            abort()
            return nil
        }
        if !sink.isQueueing { sink.write(Self.comment) }
        return service.limits.eventStreamCommentSeconds
    }

    /// Ends the body; a browser reconnects by itself.
    func goAway(_: CloseCode) {
        guard !isClosing else { return }
        isClosing = true
        // A stream that ends as it begins still has an answer.
        sink.sendHead()
        sink.channel.close(mode: .output, promise: nil)
        loop.setDeadline(&deadline, of: self, inSeconds: 2)
    }

    func abort() {
        sink.close()
    }
}
