import Foundation
import Testing
import Transport

/// A server on loopback with a fake daemon behind it, for the length of `body`.
func withServer(
    daemon: FakeDaemon = FakeDaemon(), limits: ConnectionLimits = ConnectionLimits(),
    router: Router = TestRoutes.router, identity: TLSIdentity? = nil,
    securityHeaders: HTTPFields = HTTPFields(), origins: [String] = [],
    proxies: [PeerAddress] = [],
    _ body: (FakeDaemon, _ device: String, _ http: String) async throws -> Void
) async throws {
    let any = ListenAddress.tcp(host: "127.0.0.1", port: 0)
    let server = TransportServer(
        loops: daemon.loops,
        listeners: [
            ListenerConfiguration(
                name: "device", address: any, service: .device, identity: identity,
                limits: limits),
            ListenerConfiguration(
                name: "http", address: any, service: .http(router), identity: identity,
                limits: limits, trustedProxies: proxies, allowedOrigins: origins,
                securityHeaders: securityHeaders),
        ], devices: daemon, viewers: daemon)
    let addresses = try await server.start()
    let failure: (any Error)?
    do {
        try await body(daemon, addresses["device"] ?? "", addresses["http"] ?? "")
        failure = nil
    } catch { failure = error }
    await server.stopListening()
    await server.closeAll(withinSeconds: 1)
    await daemon.stop()
    if let failure { throw failure }
}

enum TestRoutes {
    static var router: Router {
        var router = Router()
        router.add(.get, "/hello") { request in
            .text("hello \(request.query["name"] ?? "you") from \(request.peer)")
        }
        router.add(.post, "/size") { .text("\($0.body.count)") }
        router.add(.get, "/slow") { _ in
            try? await Task.sleep(for: .milliseconds(100))
            return .text("slow")
        }
        router.add(.get, "/long") { _ in
            HTTPResponse(
                status: 200,
                body: .stream { writer in
                    for part in 0..<100 {
                        try await writer.write(Array("part \(part)\n".utf8))
                    }
                })
        }
        router.add(.get, "/endless") { _ in
            HTTPResponse(
                status: 200,
                body: .stream { writer in
                    while true { try await writer.write([UInt8](repeating: 46, count: 65_536)) }
                })
        }
        router.add(.get, "/shares/:share") { request in
            request.parameters["share"] == "known" ? .text("read") : .text("no", status: 404)
        }
        router.add(.options, "/shares/:share") { _ in .text("read") }
        router.add(.get, "/v1/device", .deviceSocket)
        router.add(.get, "/v1/shares/:share/live", .viewerSocket)
        router.add(.get, "/v1/shares/:share/events", .eventStream)
        router.add(.get, "/echo", .echo)
        router.add(
            .get, "/program",
            .socket(
                SocketProgram(subprotocols: ["shout"]) { _ in
                    .admitted { conversation in
                        for await message in conversation.messages {
                            guard case .text(let text) = message, text != "bye" else { return }
                            conversation.send(.text(text.uppercased()))
                        }
                    }
                }))
        return router
    }
}

/// Waits for something that another thread does.
func eventually(
    _ what: Comment, _ condition: () -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
) async {
    for _ in 0..<400 {
        if condition() { return }
        try? await Task.sleep(for: .milliseconds(25))
    }
    Issue.record(what, sourceLocation: sourceLocation)
}
