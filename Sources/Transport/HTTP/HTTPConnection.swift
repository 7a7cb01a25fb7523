import NIOCore
import NIOHTTP1
import NIOTLS
import SensorModel
import Synchronization

/// One HTTP/1.1 connection, which answers a request before it reads the next. Loop only.
///
///     idle --head--> reading --end--> answering --written--> idle
///                                          └--101 or a stream--> not HTTP any more
final class HTTPConnection: ChannelInboundHandler, RemovableChannelHandler, DeadlineMember,
    LoopConnection
{
    typealias InboundIn = HTTPServerRequestPart

    enum Stage {
        case idle
        case reading(RequestHead, Router.Match)
        case answering(Task<Void, Never>?)
        case closing
        case upgraded
    }

    let loop: LoopState
    let service: HTTPService
    let ticket: ConnectionTicket
    let buffer: RequestBuffer
    /// `nil` without TLS.
    let records: TLSRecordGate?
    private let socketPeer: PeerAddress
    private(set) var context: ChannelHandlerContext?
    var stage = Stage.idle
    var body = RequestBody()
    /// Parts of later requests, received while one is being answered.
    var waiting: [HTTPServerRequestPart] = []
    private var waitingRefusal: HTTPRefusal?
    var deadline: Deadline?
    var bodyStarted = NIODeadline.distantPast
    /// Seconds that a slow client may take to read the last answer.
    var readingSeconds = 0
    /// Whether the next request waits until the client has read its answers.
    private var isWriting = false
    var keepsAlive = true
    private var isHead = false
    /// The proof of a share, which the current request gives unless it is refused.
    private var shareProof: ConnectionProof?
    private(set) var isHTTP10 = false
    var isStopping = false
    /// Whether the deadline belongs to a head being received, not to an idle connection.
    private var headIsTimed = true

    init(
        loop: LoopState, service: HTTPService, ticket: ConnectionTicket, peer: PeerAddress,
        records: TLSRecordGate? = nil
    ) {
        self.loop = loop
        self.service = service
        self.ticket = ticket
        self.records = records
        buffer = RequestBuffer(headBytesMax: service.limits.headerBytesMax, ticket: ticket)
        socketPeer = peer
    }

    /// Adds the connection and its parser at the end of a channel's pipeline.
    func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        var bounds = NIOHTTPDecoderLimitConfiguration()
        // Also limits trailers behind a body, which nothing else checks.
        bounds.maxHeaderFieldSize = 2 * limits.headerBytesMax
        bounds.maxHeaderListSize = 2 * limits.headerBytesMax
        let decoder = HTTPRequestDecoder(
            leftOverBytesStrategy: .forwardBytes, limitConfiguration: bounds)
        try pipeline.addHandlers(buffer, ByteToMessageHandler(decoder), self)
    }

    var limits: ConnectionLimits { service.limits }

    // MARK: - From the socket

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.add(self)
        loop.setDeadline(&deadline, of: self, inSeconds: limits.headerSeconds)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch stage {
        case .idle, .reading: take(part)
        case .answering: waiting.append(part)
        // After an upgrade: requests that arrived together with the one that ended HTTP.
        case .closing, .upgraded: break
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            records?.handshakeFinished()
            context.channel.acknowledgeAtOnce()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard case .idle = stage, buffer.hasBegun, !headIsTimed else { return }
        headIsTimed = true
        loop.setDeadline(&deadline, of: self, inSeconds: limits.headerSeconds)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard isWriting, context.channel.isWritable, case .answering = stage else { return }
        isWriting = false
        deadline?.cancel()
        deadline = nil
        finishAnswer()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let refusal: HTTPRefusal
        switch error {
        case let known as HTTPRefusal: refusal = known
        case HTTPParserError.headerOverflow: refusal = .headersTooLarge
        case HTTPParserError.invalidMethod: refusal = .methodUnknown
        case HTTPParserError.invalidVersion: refusal = .versionUnknown
        case is HTTPParserError: refusal = .malformed
        default:
            context.channel.drop(isReset: false)
            return
        }
        switch stage {
        case .idle, .reading: refuse(refusal)
        case .answering: waitingRefusal = refusal
        // A refusal was already sent, and it has set the closing deadline.
        case .closing, .upgraded: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .answering(let task) = stage { task?.cancel() }
        if case .upgraded = stage { return }
        stage = .closing
        finish()
    }

    func finish() {
        deadline?.cancel()
        loop.remove(self)
        ticket.release()
    }

    private func take(_ part: HTTPServerRequestPart) {
        switch part {
        case .head(let head): begin(head)
        case .body(let buffer):
            guard case .reading(let head, let match) = stage else { return }
            do throws(HTTPRefusal) {
                try body.append(
                    buffer.readableBytesView, isChunked: head.contentLength == nil,
                    bytesMax: min(match.bodyBytesMax, limits.bodyBytesMax))
            } catch { refuse(error) }
        case .end:
            guard case .reading(let head, let match) = stage else { return }
            answer(head, match)
        }
    }

    private func begin(_ raw: HTTPRequestHead) {
        buffer.headEnded()
        do throws(HTTPRefusal) {
            let head = try RequestHead(raw, limits: limits)
            let match = service.match(head, from: socketPeer)
            guard head.contentLength ?? 0 <= min(match.bodyBytesMax, limits.bodyBytesMax) else {
                throw HTTPRefusal.bodyTooLarge
            }
            stage = .reading(head, match)
            keepsAlive = head.keepsAlive
            isHead = head.method == .head
            isHTTP10 = raw.version == .http1_0
            body = RequestBody()
            bodyStarted = .now()
            if head.contentLength != 0 {
                loop.setDeadline(&deadline, of: self, inSeconds: limits.bodySeconds)
            }
            if head.expectsContinue { write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        } catch {
            refuse(error)
        }
    }

    // MARK: - Answering

    private func answer(_ head: RequestHead, _ match: Router.Match) {
        loop.counters.httpRequests.wrappingAdd(1, ordering: .relaxed)
        let forwarded = ForwardedPeer(
            peer: socketPeer, isSecure: service.hasTLS, fields: head.fields,
            proxies: service.trustedProxies)
        // A proxy that names no client sends the request on its own behalf.
        let counted = service.trustedProxies.contains(forwarded.address) ? nil : forwarded.address
        var request = HTTPRequest(
            method: head.method, path: head.path, query: QueryItems(head.query),
            fields: head.fields, body: body.bytes, peer: forwarded.address,
            isSecure: forwarded.isSecure)
        body = RequestBody()
        shareProof = nil
        deadline?.cancel()
        deadline = nil
        stage = .answering(nil)
        buffer.requestEnded()
        if service.trustedProxies.contains(socketPeer), let refusal = ticket.move(to: counted) {
            refuse(HTTPRefusal(refusal))
            return
        }
        switch match {
        case .unknown: respond(to: request, with: service.router.notFound)
        case .wrongMethod(let allowed):
            let methods = allowed.map(\.rawValue).joined(separator: ", ")
            send(
                .failure(
                    status: 405, reason: "this method is not allowed here",
                    fields: ["Allow": methods]))
        case .found(let endpoint, let parameters, _):
            request.parameters = parameters
            if request.method != .options, parameters["share"] != nil { shareProof = .viewer }
            if case .respond(let respond) = endpoint {
                self.respond(to: request, with: respond)
            } else {
                open(endpoint, request, head)
            }
        }
    }

    /// Runs `respond` on a task of its own and sends its answer on this loop.
    func respond(
        to request: HTTPRequest,
        with respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) {
        let (bound, eventLoop) = (NIOLoopBound(self, eventLoop: loop.eventLoop), loop.eventLoop)
        stage = .answering(
            Task {
                let response = await respond(request)
                eventLoop.execute { bound.value.sendInTurn(response) }
            })
    }

    func refuse(_ refusal: HTTPRefusal) {
        loop.counters.httpRefused.wrappingAdd(1, ordering: .relaxed)
        isHead = false
        stage = .answering(nil)
        send(refusal.response)
    }

    private func sendInTurn(_ response: HTTPResponse) {
        guard !waiting.isEmpty || buffer.isHolding else { return send(response) }
        loop.requestTurns.runTimed { send(response) }
    }

    func send(_ response: HTTPResponse) {
        guard case .answering = stage, context != nil else { return }
        var response = response
        if response.status < 400, let proof = response.proof ?? shareProof,
            let refusal = ticket.prove(proof)
        {
            response = HTTPRefusal(refusal).response
        }
        keepsAlive = keepsAlive && !response.closes && !isStopping
        switch response.body {
        case .bytes(let bytes):
            let hasBody =
                response.status >= 200 && response.status != 204
                && response.status != 304
            var wire = head(of: response, framing: hasBody ? .length(bytes.count) : nil)
            if hasBody, !isHead { wire += bytes }
            write(wire)
            readingSeconds = wire.count / max(1, limits.bodyBytesPerSecondMin)
            finishAnswer()
        case .stream(let produce):
            if isHTTP10 { keepsAlive = false }
            write(head(of: response, framing: isHTTP10 ? .close : .chunked))
            if isHead {
                finishAnswer()
            } else {
                stream(produce)
            }
        }
    }

    /// Continues with the next request after an answer was written, or closes.
    ///
    /// It first waits until the client has read. Otherwise a client that only sends would make the
    /// daemon store all its answers.
    ///
    /// - Parameter hasTurn: Whether a request that has already arrived may be served now; see
    ///   ``RequestTurns``.
    func finishAnswer(hasTurn: Bool = false) {
        if keepsAlive, let channel = context?.channel, channel.isActive, !channel.isWritable {
            isWriting = true
            loop.setDeadline(
                &deadline, of: self, inSeconds: limits.bodySeconds + readingSeconds)
            return
        }
        guard keepsAlive, waitingRefusal == nil || !waiting.isEmpty else {
            if keepsAlive, let refusal = waitingRefusal {
                waitingRefusal = nil
                refuse(refusal)
            } else {
                closeGently()
            }
            return
        }
        guard hasTurn || waiting.isEmpty && !buffer.isHolding else {
            return loop.requestTurns.wait(self)
        }
        stage = .idle
        buffer.requestAnswered()
        headIsTimed = false
        loop.setDeadline(&deadline, of: self, inSeconds: limits.idleSeconds + readingSeconds)
        takeWaiting()
    }

    /// Serves the next pipelined request; ``RequestTurns`` calls it.
    func takeTurn() {
        guard case .answering = stage, context != nil else { return }
        finishAnswer(hasTurn: true)
    }

    private func takeWaiting() {
        while !waiting.isEmpty {
            switch stage {
            case .idle, .reading: take(waiting.removeFirst())
            case .answering: return
            case .closing, .upgraded: return waiting.removeAll()
            }
        }
        switch stage {
        case .idle, .reading:
            if let refusal = waitingRefusal {
                waitingRefusal = nil
                refuse(refusal)
            } else {
                buffer.resume()
            }
        case .answering, .closing, .upgraded: break
        }
    }
}
