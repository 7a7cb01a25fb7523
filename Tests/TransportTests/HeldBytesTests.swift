import HeapUse
import SensorModel
import Synchronization
import Testing
import Transport

/// Checks that useless bytes from a peer are not kept. The server runs in the test's process, so
/// the heap grows by what its connections hold.
@Suite(.serialized) struct HeldBytesTests {
    private static let methods = ["GET", "POST", "OPTIONS", "CONNECT"]
    private static let targets = [
        "/hello", "/quiet", "/asks", "/v1/device", "/v1/shares/known/live",
        "/v1/shares/known/events", "/none", "x:1",
    ]
    private static let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    private static let webSocket =
        upgrade + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    private static let other = "Upgrade: x\r\nConnection: upgrade\r\n"
    /// Header fields, and the bytes sent repeatedly after the head.
    private static let heads: [(fields: String, behind: String)] = [
        ("", "a"), ("Content-Length: 5\r\n", "a"), (webSocket, "a"),
        (webSocket, "\u{2}\u{7E}\u{0F}\u{0F}"),
        (webSocket + "Content-Length: 5\r\n", "a"), (other, "a"),
        (other + "Content-Length: 5\r\n", "a"), (other + "Transfer-Encoding: chunked\r\n", "a"),
        (other + "Transfer-Encoding: chunked\r\n", "1\r\na\r\n"),
        ("Transfer-Encoding: chunked\r\n", "1\r\na\r\n"),
        ("Transfer-Encoding: chunked\r\n", "0\r\nA: b\r\nA: b\r\n"),
        ("", "GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n"), ("", "GET / HTTP/1.1\r\n\r\n"),
        ("Expect: 100-continue\r\nContent-Length: 9\r\n", "a"),
    ]
    /// Bytes sent on each connection, more than the kernel buffers for one that is not read.
    private static let sentMax = 2 << 20

    private static var router: Router {
        var router = TestRoutes.router
        // A body that begins and never ends, like a Firebase stream.
        router.add(.get, "/quiet") { _ in
            HTTPResponse(
                status: 200,
                body: .stream { writer in
                    try await writer.write([46])
                    while true { try await Task.sleep(for: .seconds(60)) }
                })
        }
        // The size of an export of a small session.
        router.add(.get, "/export") { _ in
            HTTPResponse(
                status: 200,
                body: .stream { try await $0.write([UInt8](repeating: 46, count: 60_000)) })
        }
        router.add(.get, "/large") { _ in .text(String(repeating: "a", count: 20_000)) }
        router.add(
            .get, "/asks",
            .socket(
                SocketProgram { _ in
                    try? await Task.sleep(for: .seconds(60))
                    return .refused(.text("no"))
                }))
        return router
    }

    @Test func `The heap is measured`() async {
        // Servers of other tests may still be freeing memory.
        await eventually("what was allocated is seen") {
            let before = Heap.bytes
            let some = [UInt8](repeating: 1, count: 50_000_000)
            let grown = Heap.bytes - before
            return withExtendedLifetime(some) { (49_000_000...51_000_000).contains(grown) }
        }
    }

    @Test(arguments: heads.indices)
    func `Bytes behind a head are not kept`(index: Int) async throws {
        var limits = ConnectionLimits()
        limits.bodyBytesMax = 16_384
        try await withServer(limits: limits, router: Self.router) { _, _, http in
            let (fields, behind) = Self.heads[index]
            let bytes = Array(String(repeating: behind, count: 65_536 / behind.utf8.count).utf8)
            var peers: [Peer] = []
            for method in Self.methods {
                for target in Self.targets {
                    let socket = try RawSocket(
                        http, receiveBufferBytes: 4096, sendBufferBytes: 65_536)
                    await socket.send("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
                    peers.append(Peer(socket: socket, name: "\(method) \(target)"))
                }
            }
            let witness = try RawSocket(http)
            let before = Heap.bytes
            // Repeats until the server's loop reads from none of them for a whole turn.
            var idleRounds = 0
            while idleRounds < 3 {
                var moved = 0
                for peer in peers where peer.sent < Self.sentMax {
                    let count = peer.socket.sendNow(bytes)
                    peer.sent += count
                    moved += count
                }
                idleRounds = moved == 0 ? idleRounds + 1 : 0
                await witness.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
                try await witness.receive(until: "\r\n\r\nhello")
            }
            let grown = Heap.bytes - before
            // All connections together hold less than one of them sent at most.
            #expect(grown < Self.sentMax, "\(fields) \(behind): \(grown) bytes")
        }
    }

    @Test func `Answers that are not read hold up the requests behind them`() async throws {
        try await withServer(router: Self.router) { daemon, _, http in
            let counters = daemon.loops.counters
            let asker = try RawSocket(http, receiveBufferBytes: 4096)
            let witness = try RawSocket(http)
            let before = Heap.bytes
            let request = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n"
            await asker.send(String(repeating: request, count: 2000))
            var (idleRounds, seen) = (0, 0)
            while idleRounds < 50 {
                await witness.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
                try await witness.receive(until: "\r\n\r\nhello")
                // The request for this count is excluded.
                let now = counters.httpRequests.load(ordering: .relaxed)
                idleRounds = now == seen + 1 ? idleRounds + 1 : 0
                seen = now
            }
            #expect(Heap.bytes - before < 2 << 20)
            var bytes = 0
            while bytes < 2000 * 20_000 { bytes += try await asker.receive().count }
        }
    }

    @Test func `A slow peer gets the end of an answer after its connection was given up`()
        async throws
    {
        try await withServer(router: Self.router) { daemon, _, http in
            let counters = daemon.loops.counters
            let peer = try RawSocket(http, receiveBufferBytes: 4096)
            await peer.send("GET /export HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            await eventually("it was accepted") {
                counters.connectionsAccepted.load(ordering: .relaxed) == 1
            }
            await eventually("the daemon has closed it") {
                counters.connectionsOpen.load(ordering: .relaxed) == 0
            }
            let answer = try await peer.receiveAllBytes()
            #expect(answer.count { $0 == 46 } >= 60_000)
        }
    }

    private final class Peer {
        let socket: RawSocket
        let name: String
        var sent = 0

        init(socket: RawSocket, name: String) {
            self.socket = socket
            self.name = name
        }
    }
}
