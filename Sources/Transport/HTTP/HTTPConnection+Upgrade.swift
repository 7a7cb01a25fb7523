import NIOCore
import NIOHTTP1
import Secrets
import SensorModel

/// Endpoints that end the HTTP phase of a connection.
extension HTTPConnection {
    func open(_ endpoint: Endpoint, _ request: HTTPRequest, _ head: RequestHead) {
        switch endpoint {
        case .respond: break  // Answered before.
        case .eventStream: openEventStream(request)
        case .deviceSocket, .viewerSocket, .echo, .socket:
            guard mayUpgrade(request, head) else { return }
            openSocket(endpoint, request)
        }
    }

    private func mayUpgrade(_ request: HTTPRequest, _ head: RequestHead) -> Bool {
        guard head.wantsWebSocket, request.method == .get else {
            send(
                .failure(
                    status: 426, reason: "this address speaks WebSocket",
                    fields: ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"]))
            return false
        }
        guard request.fields.values("sec-websocket-version") == ["13"] else {
            send(
                .failure(
                    status: 426, reason: "version 13 of WebSocket is spoken here",
                    fields: ["Sec-WebSocket-Version": "13"]))
            return false
        }
        guard head.hasWebSocketKey else {
            send(.failure(status: 400, reason: "the WebSocket key is missing or odd"))
            return false
        }
        guard originIsAllowed(request) else {
            send(.failure(status: 403, reason: "this origin is not allowed"))
            return false
        }
        return true
    }

    /// Whether the request's origin is allowed. Programs send no origin; a browser's must be our
    /// own page's or in the list.
    private func originIsAllowed(_ request: HTTPRequest) -> Bool {
        guard let origin = request.fields["origin"] else { return true }
        if service.allowedOrigins.contains("*") { return true }
        let own = request.fields["host"].map { "://" + $0 }
        return service.allowedOrigins.contains { HTTPFields.same($0, origin) }
            || own.map { origin.hasSuffix($0) } ?? false
    }

    private func openSocket(_ endpoint: Endpoint, _ request: HTTPRequest) {
        switch endpoint {
        case .deviceSocket:
            let token = request.bearerToken
            if let token,
                case .failure(let refusal) = service.devices.knows(
                    token: token, peer: request.peer)
            {
                loop.counters.countRefusedHello(refusal.code)
                send(refusal.response)
                return
            }
            upgrade(request, subprotocols: ["pulsecast.device.v1"], proof: nil) {
                DeviceWebSocket($0, headerToken: token)
            }
        case .viewerSocket:
            guard let share = resolve(request) else { return }
            upgrade(request, subprotocols: [], proof: .viewer) {
                ViewerSocket($0, share: share)
            }
        case .echo:
            // A stranger's allowance is less than the suite's largest message.
            upgrade(request, subprotocols: [], proof: .viewer) { EchoSocket($0) }
        case .socket(let program): openProgram(program, request)
        case .respond, .eventStream: break
        }
    }

    private func openProgram(_ program: SocketProgram, _ request: HTTPRequest) {
        let (bound, eventLoop) = (NIOLoopBound(self, eventLoop: loop.eventLoop), loop.eventLoop)
        stage = .answering(
            Task {
                let admission = await program.admit(request)
                eventLoop.execute {
                    let connection = bound.value
                    switch admission {
                    case .refused(let response): connection.send(response)
                    case .admitted(let run):
                        connection.openProgram(program, request, program.proof, run)
                    case .admittedDevice(let device, let run):
                        connection.openProgram(program, request, .device(device), run)
                    }
                }
            })
    }

    private func openProgram(
        _ program: SocketProgram, _ request: HTTPRequest,
        _ proof: ConnectionProof?, _ run: @escaping @Sendable (SocketConversation) async -> Void
    ) {
        upgrade(request, subprotocols: program.subprotocols, proof: proof) {
            ProgramSocket($0, program, proof: proof, run)
        }
    }

    /// - Returns: `nil` if a refusal was sent.
    private func resolve(_ request: HTTPRequest) -> ResolvedShare? {
        let share = request.parameters["share"] ?? ""
        switch service.viewers.resolve(share: share, peer: request.peer) {
        case .success(let resolved): return resolved
        case .failure(.unknown): respond(to: request, with: service.router.notFound)
        case .failure(.tooMany(let seconds)):
            send(
                .failure(
                    status: 429, code: Int(CloseCode.tooManyRequests.rawValue),
                    reason: CloseCode.tooManyRequests.reason,
                    fields: ["Retry-After": String(seconds)]))
        }
        return nil
    }

    /// Upgrades to a WebSocket.
    private func upgrade(
        _ request: HTTPRequest, subprotocols: [String], proof: ConnectionProof?,
        _ make: @escaping (UpgradedSocket) -> any WebSocketEndpoint
    ) {
        guard admits(proof), let socket = detach(request) else { return }
        let key = request.fields["sec-websocket-key"] ?? ""
        var response = HTTPResponse(
            status: 101,
            fields: [
                "Upgrade": "websocket", "Sec-WebSocket-Accept": WebSocketKey.answer(to: key),
                "Connection": "upgrade",
            ])
        let offered = RequestHead.list(request.fields.values("sec-websocket-protocol"))
        if let chosen = offered.first(where: { subprotocols.contains($0) }) {
            response.fields["Sec-WebSocket-Protocol"] = chosen
        }
        let head = head(of: response, framing: nil)
        hand(over: socket.channel) { WebSocketChannel(socket, make(socket), head: head) }
    }

    /// - Returns: `false` if a refusal was sent.
    private func admits(_ proof: ConnectionProof?) -> Bool {
        guard let proof, let refusal = ticket.prove(proof) else { return true }
        send(HTTPRefusal(refusal).response)
        return false
    }

    private func openEventStream(_ request: HTTPRequest) {
        guard let share = resolve(request) else { return }
        var response = HTTPResponse(
            status: 200,
            fields: [
                "Content-Type": "text/event-stream", "Cache-Control": "no-store",
                "X-Accel-Buffering": "no",
                // Access depends only on the share's address, so pages of any origin may read.
                "Access-Control-Allow-Origin": "*",
            ])
        response.closes = true
        guard request.method == .get else {
            send(response)
            return
        }
        guard admits(.viewer), let socket = detach(request) else { return }
        response.fields["Connection"] = "close"
        let head = head(of: response, framing: .close)
        hand(over: socket.channel) { EventStream(socket, share: share, head: head) }
    }

    /// Replaces the HTTP handlers by a successor, which receives all further bytes.
    ///
    /// The successor is added after the current read, in which the parser may still pass on
    /// requests: it recognizes no upgrade if `Connection: Upgrade` ends in a tab. A successor that
    /// received parsed requests would end the process.
    private func hand(
        over channel: any Channel, to makeSuccessor: @escaping () -> some ChannelHandler
    ) {
        channel.eventLoop.assumeIsolated().execute {
            // A successor of a channel that has closed meanwhile would not be notified.
            guard channel.isActive else { return self.finish() }
            self.replaceHandlers(of: channel.pipeline.syncOperations, by: makeSuccessor())
        }
    }

    private func replaceHandlers(
        of pipeline: ChannelPipeline.SynchronousOperations, by successor: some ChannelHandler
    ) {
        do {
            try pipeline.addHandler(successor)
            let decoder = try pipeline.handler(
                type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            pipeline.removeHandler(self, promise: nil)
            // The order matters: the decoder's bytes came before the buffer's.
            let decoderIsGone = loop.eventLoop.makePromise(of: Void.self)
            pipeline.removeHandler(decoder, promise: decoderIsGone)
            decoderIsGone.futureResult.assumeIsolated().whenComplete { [buffer] _ in
                pipeline.removeHandler(buffer, promise: nil)
            }
        } catch {
            // The channel closed during the handover.
            context?.close(promise: nil)
        }
    }
}

extension HandshakeRefusal {
    fileprivate var response: HTTPResponse {
        switch self {
        case .tokenRefused:
            .failure(
                status: 401, code: Int(code.rawValue), reason: code.reason,
                fields: ["WWW-Authenticate": "Bearer"])
        case .tooMany(let seconds):
            .failure(
                status: 429, code: Int(code.rawValue), reason: code.reason,
                fields: ["Retry-After": String(seconds)])
        case .restarting, .unavailable:
            .failure(status: 503, code: Int(code.rawValue), reason: code.reason)
        }
    }
}
