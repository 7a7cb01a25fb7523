import HeapUse
import SensorModel
import Synchronization
import Testing

@testable import Transport

/// Incomplete messages: the limits for one peer and for all peers together.
@Suite(.serialized) struct HalfMessageTests {
    private static var router: Router {
        var router = TestRoutes.router
        let join: @Sendable (SocketConversation, ConnectionProof?) async -> Void = {
            conversation, proof in
            for await _ in conversation.messages {
                conversation.joined(proof)
                conversation.send(.text("joined"))
            }
        }
        router.add(
            .get, "/topics",
            .socket(SocketProgram(proof: nil) { _ in .admitted { await join($0, .viewer) } }))
        router.add(
            .get, "/reader", .socket(SocketProgram { _ in .admitted { await join($0, nil) } }))
        return router
    }

    @Test(arguments: ["/topics", "/reader"])
    func `A reader's message is small`(target: String) async throws {
        try await withServer(router: Self.router) { _, _, http in
            let socket = try RawSocket(http)
            #expect(try await socket.upgrade(target).contains("101"))
            await socket.send(
                ClientFrame.encode(opcode: 1, [UInt8](repeating: 97, count: 2049), final: false))
            #expect(try await socket.receiveClose() == 1009)
        }
    }

    @Test func `A socket open to all is closed unless it joins`() async throws {
        var limits = ConnectionLimits()
        limits.joinSeconds = 1
        try await withServer(limits: limits, router: Self.router) { _, _, http in
            let (idle, joined) = (try RawSocket(http), try RawSocket(http))
            _ = try await joined.upgrade("/topics")
            await joined.send(ClientFrame.text("a"))
            #expect(try await joined.receiveText() == "joined")
            _ = try await idle.upgrade("/topics")
            #expect(try await idle.receiveClose() == 4001)
            // It came before the one that was closed, and is still open.
            await joined.send(ClientFrame.text("a"))
            #expect(try await joined.receiveText() == "joined")
        }
    }

    /// The limit is 2 strangers, and each of them makes way for the next.
    @Test func `Who has joined is no stranger any more`() async throws {
        var limits = ConnectionLimits()
        (limits.unauthenticatedMax, limits.connectionsMax) = (2, 64)
        try await withServer(limits: limits, router: Self.router) { _, _, http in
            let joined = try RawSocket(http)
            _ = try await joined.upgrade("/topics")
            await joined.send(ClientFrame.text("a"))
            _ = try await joined.receiveText()
            let first = try RawSocket(http)
            _ = try await first.upgrade("/topics")
            var others: [RawSocket] = []
            for _ in 0..<2 {
                others.append(try RawSocket(http))
                _ = try await others[others.count - 1].upgrade("/topics")
            }
            #expect(try await first.receive().isEmpty)
            await joined.send(ClientFrame.text("a"))
            #expect(try await joined.receiveText() == "joined")
        }
    }

    @Test func `Half bodies of all strangers together are bounded`() async throws {
        try await withServer(router: Self.router) { daemon, _, http in
            let before = Heap.bytes
            let part = [UInt8](repeating: 97, count: 900_000)
            var sockets: [RawSocket] = []
            for _ in 0..<60 {
                let socket = try RawSocket(http)
                await socket.send(
                    "POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
                await socket.send(part)
                sockets.append(socket)
            }
            let counters = daemon.loops.counters
            while counters.httpRefused.load(ordering: .relaxed) == 0 { await Task.yield() }
            let own = ByteAllowance.received(.stranger)
            // A growing array allocates up to twice its content.
            #expect(Heap.bytes - before < 2 * (own.pooledBytes + 60 * own.ownBytes))
            // A small request still passes beside them.
            let small = try RawSocket(http)
            await small.send("POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
            #expect(try await small.receive(until: "\r\n\r\n3").contains("200"))
        }
    }

    @Test func `A viewer is told of what is no command`() async throws {
        try await withServer { daemon, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade("/v1/shares/known/live")
            await socket.send(ClientFrame.text("nonsense"))
            var said = ""
            while !said.contains("\"error\"") { said = try await socket.receiveText() }
            #expect(said.contains("\"code\":4000"))
        }
    }

    @Test func `The largest message of the public suite fits what the echo may hold`() {
        let allowance = ByteAllowance.received(.viewer)
        let pooled = ByteBudget.pooled(EchoSocket.messageBytesMax, allowance)
        #expect(pooled <= allowance.pooledBytes)
    }

    @Test func `A connection takes from the pool what is beyond its own, in steps`() {
        let allowance = ByteAllowance(ownBytes: 8192, pooledBytes: 0)
        for (bytes, pooled) in [(0, 0), (8192, 0), (8193, 16_384), (24_577, 32_768)] {
            #expect(ByteBudget.pooled(bytes, allowance) == pooled)
        }
        let budget = ByteBudget()
        let most = ByteAllowance.received(.viewer).pooledBytes
        #expect(budget.receive(.viewer, most))
        #expect(!budget.receive(.viewer, 1))
        #expect(budget.receive(.device, 1))
        #expect(budget.receive(.viewer, -most))
        #expect(budget.receive(.viewer, 1))
        let owed = ByteAllowance.owed(.viewer).pooledBytes
        #expect(budget.owe(.viewer, owed, by: 1) == .taken)
        #expect(budget.owe(.device, 1, by: 2) == .taken)
        #expect(budget.takenBytes == 3 + owed)
    }
}
