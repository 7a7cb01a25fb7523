import NIOCore
import SensorModel

/// A viewer on WebSocket: receives the events of a share, and may send playback commands.
final class ViewerSocket: WebSocketEndpoint {
    /// `{"seek":…}` needs 30 bytes; a longer message is not a command.
    let messageBytesMax = 1024
    let tooLargeCode = CloseCode.messageTooLarge.rawValue
    private let service: HTTPService
    private let loop: LoopState
    private let rateHertz: Float
    /// The request, until the socket is open; then `nil`, because idle viewers should hold little
    /// memory.
    private var subscription: SubscriptionRequest?
    private var socket: WebSocketChannel?
    private var viewer: Viewer?
    /// `nil` until the first message, and the first refusal: most viewers send none.
    private var pace: MessagePace?
    private var refusals: MessagePace?

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
        guard let viewer else { return true }
        var pace = pace ?? .viewer
        guard pace.admit(atNanoseconds: NIODeadline.now().uptimeNanoseconds) else {
            socket?.resumeLater()
            return false
        }
        self.pace = pace
        guard kind == .text else { return true }
        let refusal = service.viewers.viewerSaid(
            viewer.id, watching: viewer.key, message.indices.map { message[$0] })
        if let refusal { say(refusal, to: viewer) }
        return true
    }

    /// Sends a refusal, at a limited rate and only to a viewer that reads: each is a system call.
    private func say(_ refusal: ViewerCommandRefusal, to viewer: Viewer) {
        var pace = refusals ?? .refusals
        let admits = pace.admit(atNanoseconds: NIODeadline.now().uptimeNanoseconds)
        refusals = pace
        guard admits, !viewer.sink.isQueueing else { return }
        socket?.send(ServerFrame.encode(.text, Array(refusal.json.utf8)))
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
    /// Messages a second about one runner.
    var rateHertz: Float { StreamQuery(request).rateHertz }

    func subscription(
        _ share: ResolvedShare, kind: SubscriptionRequest.Kind
    ) -> SubscriptionRequest {
        let query = StreamQuery(request)
        return SubscriptionRequest(
            share: share, subscriber: loop.makeSubscriberID(), loop: loop.index, kind: kind,
            resume: query.resume, at: query.at, speed: query.speed, peer: request.peer)
    }
}
