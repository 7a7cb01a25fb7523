import NIOCore
import SensorModel

/// A viewer on WebSocket: gets the events of a share, and may say where it wants to look.
final class ViewerSocket: WebSocketEndpoint {
    /// `{"seek":…}` needs 30; who sends more means something else.
    let messageBytesMax = 1024
    let tooLargeCode = CloseCode.messageTooLarge.rawValue
    private let service: HTTPService
    private let loop: LoopState
    private let rateHertz: Float
    /// Until the socket is open; what an idle viewer holds is what it costs.
    private var subscription: SubscriptionRequest?
    private var socket: WebSocketChannel?
    private var viewer: Viewer?
    /// Most viewers say nothing.
    private var pace: MessagePace?

    init(_ upgraded: UpgradedSocket, share: ResolvedShare) {
        service = upgraded.service
        loop = upgraded.loop
        rateHertz = upgraded.rateHertz
        subscription = upgraded.subscription(share, kind: .webSocket)
    }

    var limits: ConnectionLimits { service.limits }

    func opened(_ socket: WebSocketChannel) {
        guard let request = subscription else { return }
        subscription = nil
        self.socket = socket
        let viewer = Viewer(
            id: request.subscriber, key: request.key, form: .webSocket, sink: socket.sink,
            gate: service.viewers, rateHertz: rateHertz
        ) { [weak socket] code in socket?.close(code) }
        self.viewer = viewer
        loop.viewers.add(viewer)
        service.viewers.subscribe(request)
    }

    func received(_ kind: ServerFrame.Kind, _ message: Span<UInt8>) -> Bool {
        guard kind == .text, let viewer else { return true }
        var pace = pace ?? MessagePace()
        guard pace.takes(atNanoseconds: NIODeadline.now().uptimeNanoseconds) else {
            goOnLater()
            return false
        }
        self.pace = pace
        let refusal = service.viewers.viewerSaid(
            viewer.id, watching: viewer.key, message.indices.map { message[$0] })
        // One that does not read is not told twice.
        if let refusal, !viewer.sink.isQueueing {
            socket?.send(ServerFrame.encode(.text, Array(refusal.json.utf8)))
        }
        return true
    }

    /// It said too much at once: its socket is not read meanwhile.
    private func goOnLater() {
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        loop.eventLoop.scheduleTask(in: MessagePace.wait) {
            bound.value.socket?.resume()
        }
    }

    func drained() {
        if let viewer { loop.viewers.drained(viewer) }
    }

    func goAway(_ code: CloseCode) {
        socket?.close(code)
    }

    func closed() {
        guard let viewer else { return }
        self.viewer = nil
        socket = nil
        loop.viewers.remove(viewer)
        service.viewers.unsubscribe(viewer.id, from: viewer.key)
    }
}

extension UpgradedSocket {
    /// 0.2…20, one unless the query says otherwise.
    var rateHertz: Float {
        guard let rate = request.query["rate"].flatMap({ Float($0) }), rate.isFinite else {
            return 1
        }
        return min(max(rate, 0.2), 20)
    }

    func subscription(
        _ share: ResolvedShare, kind: SubscriptionRequest.Kind
    ) -> SubscriptionRequest {
        let query = request.query
        // A browser sends the header by itself when it comes back; it is newer than the address.
        let cursor = request.fields["last-event-id"] ?? query["after"]
        let speed = query["speed"].flatMap { Double($0) } ?? 1
        return SubscriptionRequest(
            key: share.key, subscriber: loop.makeSubscriberID(), loop: loop.index, kind: kind,
            resume: cursor.flatMap { $0.isEmpty ? nil : $0 }
                .map { LogCursor($0).map { .after($0) } ?? .lost },
            at: query["at"].flatMap { Double($0) }.flatMap { Timestamp(secondsSince1970: $0) },
            speed: speed.isFinite ? min(max(speed, 0), 1000) : 1, peer: request.peer)
    }
}
