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
    /// Twelve of these fill the kernel's buffers for a peer that does not read, about 2.8 MB.
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

    /// Receives the next event; answers a ping, which comes every 30 s.
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
            await eventually("no viewer is counted") {
                counters.viewersConnected.load(ordering: .relaxed) == 0
            }
        }
    }

    /// When the answer fails, the library reads the remaining input within the write, and closes.
    /// In a small ring the lines wait for space, and are answered when they are read again.
    @Test(arguments: [
        ("wrong lines", 1 << 20), ("hello and wrong lines", 1 << 20),
        ("hello and wrong lines", 4096), ("pings", 1 << 20), ("messages", 1 << 20),
        ("requests", 1 << 20),
    ])
    func `A reset behind what is answered line by line never enters a handler twice`(
        sent: String, ringBytes: Int
    ) async throws {
        let daemon = FakeDaemon(inboundBytes: ringBytes)
        try await withServer(daemon: daemon) { daemon, device, http in
            let bytes = Self.answered(sent)
            let door = sent.hasSuffix("lines") ? device : http
            for turn in 0..<600 {
                let socket = try RawSocket(door)
                socket.resetAtEnd()
                _ = socket.sendNow(bytes)
                // The loop is in another part of its work each time.
                try await Task.sleep(for: .microseconds(100 * (turn % 20)))
            }
            let counters = daemon.loops.counters
            await eventually("no connection is left") {
                counters.connectionsAccepted.load(ordering: .relaxed) == 600
                    && counters.connectionsOpen.load(ordering: .relaxed) == 0
            }
        }
    }

    private static func answered(_ sent: String) -> [UInt8] {
        func many(_ bytes: [UInt8]) -> [UInt8] {
            Array(repeating: bytes, count: 300_000 / bytes.count).flatMap(\.self)
        }
        let upgrade = Array(ClientFrame.upgrade("/v1/device").utf8)
        return switch sent {
        case "wrong lines": many(Array("x\n".utf8))
        case "hello and wrong lines": Array(DeviceSocketTests.hello.utf8) + many(Array("x\n".utf8))
        case "pings": upgrade + many(ClientFrame.encode(opcode: 9))
        case "messages": upgrade + many(ClientFrame.text("x"))
        default: many(Array("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        }
    }

    /// Limit of connections, with 60,000 bytes each, whose reset the daemon has not handled.
    private static let waitingMax = 8

    @Test func `What a device sent before its reset is read, though an ack could not be written`()
        async throws
    {
        try await withServer(daemon: FakeDaemon(clockRuns: true)) { daemon, device, _ in
            let frames = (1...2000).flatMap { sequence in
                let frame =
                    #"{"type":"heartRate","heartRate":100,"timestamp":1763700000,"seq":"#
                    + "\(sequence)}\n"
                return Array(frame.utf8)
            }.prefix(60_000)
            let whole = frames.count { $0 == UInt8(ascii: "\n") }
            let counters = daemon.loops.counters
            for turn in 0..<60 {
                let socket = try RawSocket(device, sendBufferBytes: 1 << 20)
                socket.resetAtEnd()
                await socket.send(Array(DeviceSocketTests.hello.utf8) + frames)
                // Bytes without space at the peer never leave, which is not the daemon's fault.
                await eventually("all has left") { socket.unsentBytes == 0 }
                // A busy loop sees many resets at once and holds 1 MiB of their input.
                await eventually("few wait") {
                    let ended =
                        counters.connectionsAccepted.load(ordering: .relaxed)
                        - counters.connectionsOpen.load(ordering: .relaxed)
                    return turn - ended < Self.waitingMax
                }
                try await Task.sleep(for: .microseconds(100 * (turn % 20)))
            }
            await eventually("no connection is left") {
                counters.connectionsAccepted.load(ordering: .relaxed) == 60
                    && counters.connectionsOpen.load(ordering: .relaxed) == 0
            }
            // Another thread reads the frames from the ring.
            await eventually("all is taken") { daemon.now.frames.count == 60 * whole }
        }
    }
}
