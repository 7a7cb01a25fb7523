import SensorModel

/// A viewer on WebSocket: gets the events of a share, and may say where it wants to look.
final class ViewerSocket: WebSocketEndpoint {
    /// `{"seek":…}` needs 30; who sends more means something else.
    let messageBytesMax = 1024
    let tooLargeCode = CloseCode.messageTooLarge.rawValue
    let limits: ConnectionLimits
    private let upgraded: UpgradedSocket
    private let share: ResolvedShare
    private var socket: WebSocketChannel?
    private var viewer: Viewer?

    init(_ upgraded: UpgradedSocket, share: ResolvedShare) {
        self.upgraded = upgraded
        self.share = share
        limits = upgraded.service.limits
    }

    func opened(_ socket: WebSocketChannel) {
        self.socket = socket
        let request = upgraded.subscription(share, kind: .webSocket)
        let viewer = Viewer(
            id: request.subscriber, key: share.key, form: .webSocket,
            hasTLS: upgraded.service.hasTLS, sink: socket.sink, gate: upgraded.service.viewers,
            rateHertz: upgraded.rateHertz
        ) { [weak socket] code in socket?.close(code) }
        self.viewer = viewer
        upgraded.loop.viewers.add(viewer)
        upgraded.service.viewers.subscribe(request)
    }

    func received(_ kind: ServerFrame.Kind, _ message: Span<UInt8>) -> Bool {
        guard kind == .text, let viewer else { return true }
        upgraded.service.viewers.viewerSaid(
            viewer.id, watching: share.key, message.indices.map { message[$0] })
        return true
    }

    func drained() {
        if let viewer { upgraded.loop.viewers.drained(viewer) }
    }

    func goAway() {
        socket?.close(.goingAway)
    }

    func closed() {
        guard let viewer else { return }
        self.viewer = nil
        socket = nil
        upgraded.loop.viewers.remove(viewer)
        upgraded.service.viewers.unsubscribe(viewer.id, from: share.key)
    }
}

extension UpgradedSocket {
    /// 0.2…20, one unless the query says otherwise.
    var rateHertz: Double {
        guard let rate = request.query["rate"].flatMap({ Double($0) }), rate.isFinite else {
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
