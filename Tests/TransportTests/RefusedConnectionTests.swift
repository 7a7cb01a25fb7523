import SensorModel
import Synchronization
import Testing

@testable import Transport

/// A refused connection has a deadline, which later bytes do not extend.
@Suite(.serialized) struct RefusedConnectionTests {
    private static func get(_ target: String, _ fields: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n"
    }

    private static let bodies = "Host: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    /// Refused requests with the answer's status and the bytes sent repeatedly after them.
    private static let refused: [(request: String, status: Int, behind: String)] = [
        ("GET hello HTTP/1.1\r\nHost: x\r\n\r\n", 400, "a"),
        ("GET /hello HTTP/1.1\r\n\r\n", 400, get("/hello")),
        ("GET /hello HTTP/1.1\r\nHost : x\r\n\r\n", 400, "a"),
        ("POST /size HTTP/1.1\r\n\(bodies)zz\r\n", 400, "a\r\n"),
        ("TRACE /hello HTTP/1.1\r\nHost: x\r\n\r\n", 405, "a"),
        ("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", 405, "a"),
        ("BREW /hello HTTP/1.1\r\nHost: x\r\n\r\n", 405, "a"),
        ("GET /hello HTTP/1.1\r\nHost:", 408, " "),
        ("POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n", 408, "a"),
        ("POST /size HTTP/1.1\r\n\(bodies)", 408, "1\r\na\r\n"),
        ("POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n", 413, "a"),
        (
            "POST /size HTTP/1.1\r\n\(bodies)FFFFFF\r\n" + String(repeating: "a", count: 40_000),
            413,
            "a"
        ),
        (
            "POST /size HTTP/1.1\r\n\(bodies)0\r\nA: \(String(repeating: "a", count: 40_000))", 431,
            "a"
        ),
        (get("/" + String(repeating: "a", count: 9000)), 414, "a"),
        (get("/hello", "Expect: wonders\r\n"), 417, "a"),
        (get("/hello", "X: \(String(repeating: "a", count: 40_000))"), 431, "a"),
        (get("/hello", (0..<101).map { "A\($0): b\r\n" }.joined()), 431, "a"),
        ("POST /size HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "a"),
        ("GET /hello HTTP/2.0\r\nHost: x\r\n\r\n", 505, "a"),
        (get("/hello") + "nonsense\r\n\r\n", 200, "a"),
        (get("/hello", "Connection: close\r\n"), 200, get("/hello")),
        (get("/hello", "Upgrade: x\r\nConnection: upgrade\r\n"), 200, "a"),
        (get("/v1/shares/none/live", "Upgrade: websocket\r\nConnection: upgrade\r\n"), 426, "a"),
    ]

    @Test func `A byte now and then keeps no refused connection open`() async throws {
        var limits = ConnectionLimits()
        limits.headerSeconds = 1
        limits.bodySeconds = 1
        limits.bodyBytesMax = 20_000
        try await withServer(limits: limits) { daemon, device, http in
            var open: [(socket: RawSocket, behind: String)] = []
            for (request, status, behind) in Self.refused {
                let socket = try RawSocket(http)
                await socket.send(request)
                if status != 408 {
                    let answer = try await socket.receive(until: "\r\n\r\n")
                    #expect(
                        answer.hasPrefix("HTTP/1.1 \(status) "), "\(request.prefix(80)) \(answer)")
                }
                open.append((socket, behind))
            }
            let silent = try RawSocket(device)
            await silent.send("nonsense\n")
            open.append((silent, "a"))
            await eventually("all are closed") {
                for (socket, behind) in open { _ = socket.sendNow(Array(behind.utf8)) }
                return daemon.loops.counters.connectionsOpen.load(ordering: .relaxed) == 0
            }
        }
    }

    @Test func `Requests sent all at once are answered in their order`() async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            var requests = ""
            for number in 0..<1500 {
                requests += Self.get(number % 500 == 7 ? "/slow" : "/hello?name=\(number)")
                if number % 100 == 50 {
                    requests += "POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\n"
                    requests += String(repeating: "b", count: 4000)
                }
                if number % 10 == 5 { requests += "DELETE /hello HTTP/1.1\r\nHost: x\r\n\r\n" }
            }
            requests += Self.get("/hello?name=last", "Connection: close\r\n")
            async let sent: Void = socket.send(requests)
            let answers = try await socket.receiveAll().split(separator: "HTTP/1.1 ")
            await sent
            var expected: [String] = []
            for number in 0..<1500 {
                expected.append(number % 500 == 7 ? "slow" : "hello \(number) from")
                if number % 100 == 50 { expected.append("\r\n\r\n4000") }
                if number % 10 == 5 { expected.append("405 ") }
            }
            expected.append("hello last from")
            #expect(answers.count == expected.count)
            let wrong = zip(answers, expected).first { !$0.0.contains($0.1) }
            #expect(wrong == nil)
        }
    }

    @Test func `Messages right behind the request for an upgrade arrive in order`() async throws {
        try await withServer { daemon, _, http in
            // A program's messages have a rate limit that allows a burst.
            for (target, count) in [("/echo", 400), ("/program", MessagePace.reader.burst)] {
                let socket = try RawSocket(http)
                var bytes = Array(ClientFrame.upgrade(target).utf8)
                for number in 0..<count {
                    bytes += ClientFrame.encode(opcode: 1, Array("m\(number)".utf8))
                }
                async let sent: Void = socket.send(bytes)
                _ = try await socket.receive(exactly: 12)
                var head: [UInt8] = []
                while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
                    head += try await socket.receive(exactly: 1)
                }
                for number in 0..<count {
                    #expect(try await socket.receiveText().lowercased() == "m\(number)")
                }
                await sent
            }
            let device = try RawSocket(http)
            await device.send(
                Array(ClientFrame.upgrade("/v1/device").utf8)
                    + ClientFrame.encode(opcode: 1, Array(DeviceSocketTests.hello.utf8)))
            await eventually("admitted") { daemon.now.openings.count == 1 }
        }
    }
}
