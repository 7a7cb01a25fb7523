import SensorModel
import Sharing
import Synchronization
import Testing

@testable import Transport

@Suite(.serialized) struct ViewerTests {
    static let live = "/v1/shares/known/live"

    @Test func `A viewer gets the snapshot first, then what happens`() async throws {
        try await withServer { daemon, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade(Self.live)
            let first = try await socket.receiveText()
            #expect(first.contains("\"type\":\"snapshot\"") && first.contains("\"initial\":true"))
            daemon.push(.feed(FeedKey(FakeDaemon.share), FakeDaemon.marker(2, "km 1")))
            #expect(try await socket.receiveText().contains("km 1"))
            await socket.send(ClientFrame.text("{\"pause\":true}"))
            await eventually("said") { daemon.now.said == ["{\"pause\":true}"] }
            socket.close()
            await eventually("gone") { daemon.now.unsubscribed.count == 1 }
            await eventually("nobody is counted") {
                daemon.loops.counters.viewersConnected.load(ordering: .relaxed) == 0
            }
        }
    }

    @Test func `What a viewer says too fast waits, and is heard in order`() async throws {
        try await withServer { daemon, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade(Self.live)
            _ = try await socket.receiveText()
            let messages = (0..<3 * MessagePace.viewer.burst).map { "{\"seek\":\($0)}" }
            await socket.send(messages.flatMap { ClientFrame.text($0) })
            await eventually("all of them") { daemon.now.said == messages }
            #expect(daemon.now.unsubscribed.isEmpty)
        }
    }

    @Test func `A viewer that waits holds up nobody, and can leave`() async throws {
        try await withServer { daemon, _, http in
            let (loud, quiet) = (try RawSocket(http), try RawSocket(http))
            for socket in [loud, quiet] {
                _ = try await socket.upgrade(Self.live)
                _ = try await socket.receiveText()
            }
            // More messages than are handled while the other viewer is served.
            let message = ClientFrame.text("{\"seek\":1}")
            await loud.send(Array(repeatElement(message, count: 2000).joined()))
            await eventually("it waits") { daemon.now.said.count >= MessagePace.viewer.burst }
            await quiet.send(ClientFrame.text("{\"live\":true}"))
            await eventually("heard") { daemon.now.said.contains("{\"live\":true}") }
            #expect(daemon.now.said.count < 2000)
            loud.close()
            await eventually("gone") { daemon.now.unsubscribed.count == 1 }
        }
    }

    @Test func `Messages are taken at a pace, and some at once`() {
        var pace = MessagePace.viewer
        func taken(atMilliseconds time: UInt64, of count: Int) -> Int {
            let now = 1 << 40 + time * 1_000_000
            return (0..<count).count { _ in pace.admit(atNanoseconds: now) }
        }
        #expect(taken(atMilliseconds: 0, of: 500) == MessagePace.viewer.burst)
        #expect(taken(atMilliseconds: 100, of: 500) == 10)
        #expect(taken(atMilliseconds: 101, of: 500) == 0)
        #expect(taken(atMilliseconds: 10_000, of: 60) == 60)
        #expect(taken(atMilliseconds: 10_000, of: 500) == MessagePace.viewer.burst - 60)
        pace = .reader
        #expect(taken(atMilliseconds: 20_000, of: 500) == MessagePace.reader.burst)
        #expect(taken(atMilliseconds: 21_000, of: 500) == 10)
    }

    @Test func `The query and the browser's header say what to go on with`() async throws {
        try await withServer { daemon, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade(Self.live + "?after=e1-9&at=1763700000.5&speed=4")
            let stream = try RawSocket(http)
            await stream.send(
                HTTPServerTests.get("/v1/shares/known/events?after=x", "Last-Event-ID: e2-5\r\n"))
            try await stream.receive(until: "data: ")
            let lost = try RawSocket(http)
            _ = try await lost.upgrade(Self.live + "?after=x")
            await eventually("three") { daemon.now.subscriptions.count == 3 }
            let requests = daemon.now.subscriptions
            #expect(requests[0].resume == .after(FakeDaemon.cursor(9)))
            #expect(requests[0].at == Timestamp(microseconds: 1_763_700_000_500_000))
            #expect(requests[0].speed == 4)
            #expect(requests[1].resume?.cursor?.epoch == 2)
            #expect(requests[2].resume == .lost)
        }
    }

    @Test func `Server-sent events carry the cursor as their id`() async throws {
        var limits = ConnectionLimits()
        limits.eventStreamCommentSeconds = 1
        try await withServer(limits: limits) { daemon, _, http in
            let socket = try RawSocket(http)
            await socket.send(HTTPServerTests.get("/v1/shares/known/events"))
            let start = try await socket.receive(until: "\n\n")
            #expect(start.contains("Content-Type: text/event-stream\r\n"))
            #expect(start.contains("id: e1-1\ndata: {\"type\":\"snapshot\""))
            daemon.push(.feed(FeedKey(FakeDaemon.share), FakeDaemon.marker(2, "km 1")))
            let event = try await socket.receive(until: "\n\n")
            #expect(event.hasPrefix("id: e1-2\ndata: {"))
            try await socket.receive(until: ":\n\n")
            daemon.push(.feedEnded(FeedKey(FakeDaemon.share), .shareEnded))
            #expect(try await socket.receiveAll().isEmpty)
        }
    }

    @Test func `A share that ends closes its viewers with 4010`() async throws {
        try await withServer { daemon, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade(Self.live)
            _ = try await socket.receiveText()
            daemon.push(.feedEnded(FeedKey(FakeDaemon.share), .shareEnded))
            #expect(try await socket.receiveClose() == 4010)
            #expect(daemon.loops.counters.viewersClosed["4010"] == 1)
        }
    }

    @Test func `Unknown shares are answered alike on every door`() async throws {
        try await withServer { _, _, http in
            var answers: Set<String> = []
            for target in ["/v1/shares/none/live", "/v1/shares/other/live"] {
                let socket = try RawSocket(http)
                await socket.send(ClientFrame.upgrade(target, "Connection: close\r\n"))
                answers.insert(try await socket.receiveAll())
            }
            for target in ["/v1/shares/none/events", "/nothing"] {
                let socket = try RawSocket(http)
                await socket.send(HTTPServerTests.close(target))
                answers.insert(try await socket.receiveAll())
            }
            #expect(answers.count == 1)
        }
    }

    @Test func `Catch-up comes before what happened meanwhile`() async throws {
        let daemon = FakeDaemon(sendsSnapshot: false)
        try await withServer(daemon: daemon) { daemon, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade(Self.live)
            await eventually("subscribed") { daemon.now.subscriptions.count == 1 }
            let id = daemon.now.subscriptions[0].subscriber
            let gap = EncodedEvent(cursor: FakeDaemon.cursor(0), json: Array("{\"gap\":1}".utf8))
            let opening = FeedOpening(
                key: FeedKey(FakeDaemon.share), runnerName: "Ada", snapshot: FakeDaemon.snapshot)
            daemon.push(
                .feedsBegin(
                    id, [opening],
                    SubscriptionStart(
                        resumedAt: FakeDaemon.cursor(0), preface: [gap], catchingUp: true)))
            daemon.push(.feed(FeedKey(FakeDaemon.share), FakeDaemon.marker(5, "new")))
            let old = EncodedEvent(cursor: FakeDaemon.cursor(1), json: Array("{\"old\":1}".utf8))
            daemon.push(.catchUp(id, [old]))
            daemon.push(.caughtUp(id))
            #expect(try await socket.receiveText() == "{\"gap\":1}")
            #expect(try await socket.receiveText().contains("snapshot"))
            #expect(try await socket.receiveText() == "{\"old\":1}")
            #expect(try await socket.receiveText().contains("new"))
            await eventually("asked for more") { daemon.now.readyForMore == 1 }
            daemon.push(.closeSubscriber(id, .tooSlow))
            #expect(try await socket.receiveClose() == 4008)
        }
    }

    @Test func `A group's changes of one batch are merged into one write`() async throws {
        let daemon = FakeDaemon(sendsSnapshot: false)
        try await withServer(daemon: daemon) { daemon, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade(Self.live)
            await eventually("subscribed") { daemon.now.subscriptions.count == 1 }
            let keys = (1...50).map { ShareKey(rawValue: $0) }
            daemon.push(
                .feedsBegin(
                    daemon.now.subscriptions[0].subscriber,
                    keys.map {
                        FeedOpening(
                            key: FeedKey($0), runnerName: "r\($0.rawValue)",
                            snapshot: FakeDaemon.snapshot)
                    }, SubscriptionStart(inGroup: true)))
            for _ in keys { #expect(try await socket.receiveText().contains("snapshot")) }
            let counters = daemon.loops.counters
            await eventually("counted") {
                counters.deliveries.load(ordering: .relaxed) == keys.count
                    && counters.viewerWrites.load(ordering: .relaxed) > 0
            }
            let writes = counters.viewerWrites.load(ordering: .relaxed)
            daemon.push(
                each: keys.map { .feed(FeedKey($0), FakeDaemon.marker(9, "m\($0.rawValue)")) })
            for _ in keys { _ = try await socket.receiveText() }
            await eventually("counted") {
                counters.deliveries.load(ordering: .relaxed) == 2 * keys.count
            }
            await eventually("one write more") {
                counters.viewerWrites.load(ordering: .relaxed) == writes + 1
            }
        }
    }

    @Test(arguments: [1, 2, 6, 7])
    func `A broadcast piece by piece reaches everybody, in order and before the end`(
        viewersAtOnce: Int
    ) async throws {
        let daemon = FakeDaemon(pace: BroadcastPace(viewers: viewersAtOnce, nanoseconds: 0))
        try await withServer(daemon: daemon) { daemon, _, http in
            var sockets: [RawSocket] = []
            for _ in 0..<7 {
                let socket = try RawSocket(http)
                _ = try await socket.upgrade(Self.live)
                #expect(try await socket.receiveText().contains("snapshot"))
                sockets.append(socket)
            }
            for number in 1...20 {
                daemon.push(
                    .feed(
                        FeedKey(FakeDaemon.share), FakeDaemon.marker(UInt64(number), "m\(number)."))
                )
            }
            daemon.push(.feedEnded(FeedKey(FakeDaemon.share), .shareEnded))
            for socket in sockets {
                for number in 1...20 {
                    #expect(try await socket.receiveText().contains("m\(number)."))
                }
                #expect(try await socket.receiveClose() == 4010)
            }
            // A loop counts when it has written: a viewer may have read before.
            await eventually("all is counted") {
                daemon.loops.counters.deliveries.load(ordering: .relaxed) == 7 * 21
            }
        }
    }

    @Test func `Stopping tells viewers that we go away`() async throws {
        let daemon = FakeDaemon()
        let server = TransportServer(
            loops: daemon.loops,
            listeners: [
                ListenerConfiguration(
                    name: "http", address: .tcp(host: "127.0.0.1", port: 0),
                    service: .http(TestRoutes.router))
            ], devices: daemon, viewers: daemon)
        let socket = try RawSocket(try await server.start()["http"] ?? "")
        _ = try await socket.upgrade(Self.live)
        _ = try await socket.receiveText()
        await server.stopListening()
        async let stopped: Void = server.closeAll()
        #expect(try await socket.receiveClose() == 1001)
        socket.close()
        await stopped
        await daemon.stop()
    }
}

extension SubscriptionRequest.Resume {
    fileprivate var cursor: LogCursor? {
        if case .after(let cursor) = self { cursor } else { nil }
    }
}
