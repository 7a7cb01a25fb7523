import SensorModel
import Synchronization
import Testing
import Transport

@Suite(.serialized) struct HTTPServerTests {
    static func get(_ target: String, _ fields: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n"
    }

    static func close(_ target: String, _ fields: String = "") -> String {
        get(target, "Connection: close\r\n" + fields)
    }

    @Test func `A request is answered with length, date and the listener's fields`() async throws {
        try await withServer(securityHeaders: ["X-Frame-Options": "DENY"]) { _, _, http in
            let socket = try RawSocket(http)
            await socket.send(Self.close("/hello?name=a%20b%2Bc+d"))
            let answer = try await socket.receiveAll()
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\nDate: Fri, 21 Nov 2025 04:40:00 GMT\r\n"))
            #expect(answer.contains("X-Frame-Options: DENY\r\n"))
            #expect(answer.contains("Content-Length: 28\r\n"))
            #expect(answer.contains("Connection: close\r\n"))
            #expect(answer.hasSuffix("\r\n\r\nhello a b+c d from 127.0.0.1"))
        }
    }

    @Test func `HEAD has the head of GET and no body`() async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            await socket.send("HEAD /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let answer = try await socket.receiveAll()
            #expect(answer.contains("Content-Length: 24\r\n") && answer.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func `Pipelined requests are answered in their order`() async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            let post = "POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde"
            await socket.send(Self.get("/slow") + post + Self.get("/hello") + Self.close("/slow"))
            let answer = try await socket.receiveAll()
            let bodies = answer.split(separator: "\r\n\r\n").dropFirst().map { $0.prefix(4) }
            #expect(bodies == ["slow", "5HTT", "hell", "slow"])
        }
    }

    /// Each request is answered, even after a refused one and in any segmentation.
    @Test func `Requests that come at once take turns with those of other connections`()
        async throws
    {
        try await withServer { _, _, http in
            let sockets = try (0..<8).map { _ in try RawSocket(http) }
            let many = String(repeating: Self.get("/hello") + Self.get("/nothing"), count: 100)
            for socket in sockets { await socket.send(many + Self.close("/hello")) }
            let other = try RawSocket(http)
            await other.send(Self.close("/hello"))
            #expect(try await other.receiveAll().hasPrefix("HTTP/1.1 200 "))
            for socket in sockets {
                let answer = try await socket.receiveAll()
                #expect(answer.split(separator: "HTTP/1.1 200 ").count == 101)
                #expect(answer.split(separator: "HTTP/1.1 404 ").count == 101)
            }
        }
    }

    @Test func `A stream of unknown length comes in chunks`() async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            await socket.send(Self.close("/long"))
            let answer = try await socket.receiveAll()
            #expect(answer.contains("Transfer-Encoding: chunked\r\n"))
            #expect(answer.contains("7\r\npart 0\n\r\n"))
            #expect(answer.hasSuffix("8\r\npart 99\n\r\n0\r\n\r\n"))
        }
    }

    @Test func `A reader that stops reading a stream is cut off`() async throws {
        var limits = ConnectionLimits()
        limits.bodySeconds = 1
        limits.bodyBytesPerSecondMin = 65_536
        try await withServer(limits: limits) { daemon, _, http in
            let socket = try RawSocket(http, receiveBufferBytes: 4096)
            await socket.send(Self.close("/endless"))
            try await socket.receive(until: "...")
            await eventually("the connection is closed") {
                daemon.loops.counters.connectionsOpen.load(ordering: .relaxed) == 0
            }
        }
    }

    @Test func `Chunks of a request are joined`() async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            await socket.send(
                "POST /size HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n")
            #expect(try await socket.receiveAll().hasSuffix("\r\n\r\n13"))
        }
    }

    @Test func `A client that waits for 100 is told to go on`() async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            await socket.send(
                "POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
                    + "Connection: close\r\nExpect: 100-continue\r\n\r\n")
            try await socket.receive(until: "HTTP/1.1 100 Continue\r\n\r\n")
            await socket.send("ok")
            #expect(try await socket.receiveAll().hasSuffix("\r\n\r\n2"))
        }
    }

    @Test(arguments: [
        (get("/none"), 404),
        ("DELETE /hello HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        (get("/v1/shares/known/live"), 426),
        (get("/v1/shares/none/events"), 404),
        (get("/v1/shares/crowded/events"), 429),
        (get("/\(String(repeating: "a", count: 9000))"), 414),
        (get("/hello", "X: \(String(repeating: "a", count: 16_400))\r\nY: b\r\n"), 431),
        (get("/hello", "X: \(String(repeating: "a", count: 40_000))"), 431),
        (get("/hello", (0..<101).map { "A\($0): b\r\n" }.joined()), 431),
        ("POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n", 413),
        ("BREW /hello HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        ("TRACE /hello HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        ("GET /hello HTTP/2.0\r\nHost: x\r\n\r\n", 505),
        (get("/hello", "Expect: wonders\r\n"), 417),
    ])
    func `Each refusal has its status`(request: String, status: Int) async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            await socket.send(request)
            let answer = try await socket.receive(until: "\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test(arguments: [(1, 256, 200), (1, 257, 400), (9, 1000, 200), (7, 1000, 400)])
    func `Many chunks of a few bytes each are refused`(
        bytes: Int, count: Int, status: Int
    ) async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            let chunk = "\(bytes)\r\n" + String(repeating: "a", count: bytes) + "\r\n"
            await socket.send(
                "POST /size HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: count)
                    + "0\r\n\r\n")
            #expect(try await socket.receiveAll().hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test func `A large chunked body is refused where it gets too large`() async throws {
        var limits = ConnectionLimits()
        limits.bodyBytesMax = 100
        try await withServer(limits: limits) { _, _, http in
            let socket = try RawSocket(http)
            await socket.send(
                "POST /size HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "65\r\n\(String(repeating: "a", count: 101))\r\n0\r\n\r\n")
            #expect(try await socket.receiveAll().hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test func `Headers and bodies that never end are given up`() async throws {
        var limits = ConnectionLimits()
        limits.headerSeconds = 1
        limits.bodySeconds = 1
        try await withServer(limits: limits) { _, _, http in
            let header = try RawSocket(http)
            await header.send("GET /hello HTTP/1.1\r\nHost:")
            let body = try RawSocket(http)
            await body.send("POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab")
            #expect(try await header.receiveAll().hasPrefix("HTTP/1.1 408 "))
            #expect(try await body.receiveAll().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test func `A proxy that is trusted may say who asks`() async throws {
        let proxy = try #require(PeerAddress("127.0.0.1"))
        try await withServer(proxies: [proxy]) { _, _, http in
            let socket = try RawSocket(http)
            await socket.send(
                Self.close("/hello", "X-Forwarded-For: 6.6.6.6, 203.0.113.9, 127.0.0.1\r\n"))
            #expect(try await socket.receiveAll().hasSuffix("from 203.0.113.9"))
        }
    }

    @Test func `An old client gets its answer and the end of the connection`() async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            await socket.send("GET /long HTTP/1.0\r\n\r\n")
            let answer = try await socket.receiveAll()
            #expect(!answer.contains("chunked") && answer.hasSuffix("\r\n\r\n" + Self.parts))
        }
    }

    static let parts = (0..<100).map { "part \($0)\n" }.joined()
}
