import Foundation
import SensorModel
import Sharing
import Synchronization
import Testing
import Transport

/// Viewers that reset their connections. In a debug build every direct write asserts that its
/// descriptor is still that of its channel, so a late one ends the run.
@Suite(.serialized) struct ResetTests {
    private static let isLong = ProcessInfo.processInfo.environment["PULSECAST_LONG"] == "1"
    /// What the kernel takes for one that does not read, some 2.8 MB, is full after twelve of them.
    private static let large = String(repeating: "x", count: 250_000)
    private static let loops = 3
    /// Number of viewers that are reset together.
    private static let batch = 20

    private func broadcast(_ daemon: FakeDaemon, _ number: Int, _ text: String) {
        for loop in 0..<Self.loops {
            let event = FakeDaemon.marker(UInt64(number), text)
            daemon.push(.feed(FeedKey(FakeDaemon.share), event), loop: loop)
        }
    }

    @Test func `A reset amid a broadcast never leads a write to another's descriptor`()
        async throws
    {
        let daemon = FakeDaemon(loopCount: Self.loops)
        try await withServer(daemon: daemon) { daemon, _, http in
            let counters = daemon.loops.counters
            let stays = try RawSocket(http)
            _ = try await stays.upgrade("/v1/shares/known/live?rate=20")
            _ = try await stays.receiveText()
            var number = 10
            for _ in 0..<(Self.isLong ? 100_000 : 400) / Self.batch {
                var viewers: [RawSocket] = []
                for turn in 0..<Self.batch {
                    viewers.append(try await Self.viewer(http, isSocket: turn % 2 == 0))
                }
                for turn in 0..<20 {
                    if turn == 18 { viewers.removeAll() }
                    broadcast(daemon, number, turn < 14 ? Self.large : "small")
                    number += 1
                    try await Self.receiveEvent(stays)
                }
            }
            await eventually("all gone") {
                counters.viewersConnected.load(ordering: .relaxed) == 1
            }
        }
    }

    /// The next event; a ping is answered, as it comes every 30 s.
    private static func receiveEvent(_ viewer: RawSocket) async throws {
        while true {
            let frame = try await viewer.receiveFrame()
            switch frame.opcode {
            case 1: return
            case 9: await viewer.send(ClientFrame.encode(opcode: 10, frame.payload))
            default:
                Issue.record("opcode \(frame.opcode), \(frame.payload)")
                throw RawSocket.Failure.closed(after: "opcode \(frame.opcode)")
            }
        }
    }

    /// Reads nothing, and resets its connection at its end.
    private static func viewer(_ http: String, isSocket: Bool) async throws -> RawSocket {
        let viewer = try RawSocket(http, receiveBufferBytes: 4096)
        viewer.resetAtEnd()
        if isSocket {
            _ = try await viewer.upgrade("/v1/shares/known/live?rate=20")
        } else {
            await viewer.send("GET /v1/shares/known/events?rate=20 HTTP/1.1\r\nHost: x\r\n\r\n")
            try await viewer.receive(until: "\r\n\r\n")
        }
        return viewer
    }

    /// The answer to such a request fails while the connection is handed over.
    @Test func `A reset right behind the request leaves nothing behind`() async throws {
        let daemon = FakeDaemon(loopCount: Self.loops)
        try await withServer(daemon: daemon) { daemon, _, http in
            let counters = daemon.loops.counters
            let requests = [
                ClientFrame.upgrade("/v1/shares/known/live"), ClientFrame.upgrade("/program"),
                "GET /v1/shares/known/events HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /endless HTTP/1.1\r\nHost: x\r\n\r\n",
            ]
            for turn in 0..<400 {
                let socket = try RawSocket(http)
                socket.resetAtEnd()
                await socket.send(requests[turn % requests.count])
            }
            await eventually("all accepted") {
                counters.connectionsAccepted.load(ordering: .relaxed) == 400
            }
            await eventually("no connection is left") {
                counters.connectionsOpen.load(ordering: .relaxed) == 0
            }
            #expect(counters.viewersConnected.load(ordering: .relaxed) == 0)
        }
    }
}
