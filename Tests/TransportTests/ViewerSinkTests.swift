import SensorModel
import Sharing
import Synchronization
import Testing
import Transport

/// The direct path and the library's take turns on one socket: no byte may be lost or doubled.
@Suite(.serialized) struct ViewerSinkTests {
    private static let live = "/v1/shares/known/live?rate=20"
    private static let padding = String(repeating: "x", count: 4000)

    /// Sends until the socket of a viewer that does not read is full, and some more.
    private func flood(_ daemon: FakeDaemon, from first: Int, count: Int) {
        for number in first..<(first + count) {
            daemon.push(
                .feed(
                    FeedKey(FakeDaemon.share),
                    FakeDaemon.marker(UInt64(number), "n\(number) \(Self.padding)")))
        }
    }

    @Test func `A slow reader gets every event once and in order`() async throws {
        try await withServer { daemon, _, http in
            let slow = try RawSocket(http, receiveBufferBytes: 4096)
            _ = try await slow.upgrade(Self.live)
            let quick = try RawSocket(http)
            _ = try await quick.upgrade(Self.live)
            _ = try await slow.receiveText()
            _ = try await quick.receiveText()
            // Less than a subscriber's window, more than the kernel accepts at once.
            for round in 0..<40 {
                flood(daemon, from: 10 + round * 25, count: 25)
                for number in 0..<25 {
                    let text = try await quick.receiveText()
                    #expect(text.contains("n\(10 + round * 25 + number) "))
                }
                for number in 0..<25 {
                    let text = try await slow.receiveText()
                    #expect(text.contains("n\(10 + round * 25 + number) "))
                }
            }
        }
    }

    @Test func `A stalled viewer holds nobody up and is closed, not buffered for`() async throws {
        try await withServer { daemon, _, http in
            let stalled = try RawSocket(http, receiveBufferBytes: 4096)
            _ = try await stalled.upgrade(Self.live)
            let quick = try RawSocket(http)
            _ = try await quick.upgrade(Self.live)
            _ = try await quick.receiveText()
            for round in 0..<400 {
                flood(daemon, from: 10 + round * 10, count: 10)
                for _ in 0..<10 { _ = try await quick.receiveText() }
            }
            await eventually("closed as too slow") {
                daemon.loops.counters.viewersClosed["4008"] == 1
            }
            withExtendedLifetime(stalled) {}
        }
    }

    @Test func `Pongs keep their place between updates`() async throws {
        try await withServer { daemon, _, http in
            let socket = try RawSocket(http, receiveBufferBytes: 4096)
            _ = try await socket.upgrade(Self.live)
            _ = try await socket.receiveText()
            for round in 0..<20 {
                flood(daemon, from: 10 + round * 20, count: 20)
                await socket.send(ClientFrame.encode(opcode: 9, [UInt8(round)]))
                var events = 0
                var pongs = 0
                while events < 20 || pongs < 1 {
                    let frame = try await socket.receiveFrame()
                    switch frame.opcode {
                    case 1:
                        let text = String(decoding: frame.payload, as: UTF8.self)
                        #expect(text.contains("n\(10 + round * 20 + events) "))
                        events += 1
                    case 10:
                        #expect(frame.payload == [UInt8(round)])
                        pongs += 1
                    default: Issue.record("opcode \(frame.opcode)")
                    }
                }
            }
        }
    }

    @Test func `Viewers that vanish during a broadcast disturb nobody`() async throws {
        try await withServer { daemon, _, http in
            let stays = try RawSocket(http)
            _ = try await stays.upgrade(Self.live)
            _ = try await stays.receiveText()
            var number = 10
            for _ in 0..<30 {
                var leaving: [RawSocket] = []
                for _ in 0..<5 {
                    let socket = try RawSocket(http, receiveBufferBytes: 4096)
                    _ = try await socket.upgrade(Self.live)
                    leaving.append(socket)
                }
                flood(daemon, from: number, count: 10)
                for socket in leaving { socket.close() }
                leaving.removeAll()
                flood(daemon, from: number + 10, count: 10)
                for _ in 0..<20 {
                    #expect(try await stays.receiveText().contains("n\(number) "))
                    number += 1
                }
            }
            await eventually("all gone") { daemon.now.unsubscribed.count == 150 }
            let counters = daemon.loops.counters
            await eventually("one is counted") {
                counters.viewersConnected.load(ordering: .relaxed) == 1
            }
        }
    }
}
