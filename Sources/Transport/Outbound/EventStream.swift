import NIOCore
import SensorModel

/// A viewer of server-sent events: the response has begun, its body never ends.
final class EventStream: ChannelInboundHandler, DeadlineMember, LoopConnection {
    typealias InboundIn = ByteBuffer

    private static let comment = Array(":\n\n".utf8)

    private let upgraded: UpgradedSocket
    private let share: ResolvedShare
    private let sink: ViewerSink
    private var viewer: Viewer?
    private var deadline: Deadline?
    private var isClosing = false

    init(_ upgraded: UpgradedSocket, share: ResolvedShare) {
        self.upgraded = upgraded
        self.share = share
        sink = ViewerSink(channel: upgraded.channel, hasTLS: upgraded.service.hasTLS)
    }

    private var loop: LoopState { upgraded.loop }

    func handlerAdded(context: ChannelHandlerContext) {
        loop.add(self)
        loop.setDeadline(
            &deadline, of: self, inSeconds: upgraded.service.limits.eventStreamCommentSeconds)
        let request = upgraded.subscription(share, kind: .eventStream)
        let viewer = Viewer(
            id: request.subscriber, key: share.key, form: .eventStream,
            hasTLS: upgraded.service.hasTLS, sink: sink, gate: upgraded.service.viewers,
            rateHertz: upgraded.rateHertz
        ) { [weak self] _ in self?.goAway() }
        self.viewer = viewer
        sink.drained = { [unowned self] in
            if let viewer = self.viewer { loop.viewers.drained(viewer) }
        }
        loop.viewers.add(viewer)
        upgraded.service.viewers.subscribe(request)
    }

    /// A stream has nothing to say; what it says is dropped.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func channelInactive(context: ChannelHandlerContext) {
        sink.channelIsGone()
        deadline?.cancel()
        loop.remove(self)
        upgraded.ticket.release()
        guard let viewer else { return }
        self.viewer = nil
        loop.viewers.remove(viewer)
        upgraded.service.viewers.unsubscribe(viewer.id, from: share.key)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func deadlineReached(_ tick: Int) -> Int? {
        guard !isClosing else {
            abort()
            return nil
        }
        if !sink.isQueueing { sink.write(Self.comment) }
        return upgraded.service.limits.eventStreamCommentSeconds
    }

    /// The end of the body; a browser comes back by itself.
    func goAway() {
        guard !isClosing else { return }
        isClosing = true
        sink.channel.close(mode: .output, promise: nil)
        loop.setDeadline(&deadline, of: self, inSeconds: 2)
    }

    func abort() {
        sink.channel.close(promise: nil)
    }
}
