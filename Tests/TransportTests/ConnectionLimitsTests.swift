import SensorModel
import Synchronization
import Testing
import Transport

@Suite(.serialized) struct ConnectionLimitsTests {
    @Test func `Beyond the limit a connection is closed at once`() async throws {
        var limits = ConnectionLimits()
        limits.connectionsMax = 2
        try await withServer(limits: limits) { daemon, device, _ in
            let first = try RawSocket(device)
            await first.send(DeviceSocketTests.hello)
            try await first.receive(until: "}\n")
            let second = try RawSocket(device)
            await second.send(DeviceSocketTests.hello)
            try await second.receive(until: "}\n")
            let third = try RawSocket(device)
            #expect(try await third.receive().isEmpty)
            second.close()
            await eventually("gone") {
                daemon.loops.counters.connectionsOpen.load(ordering: .relaxed) == 1
            }
            let fourth = try RawSocket(device)
            await fourth.send(DeviceSocketTests.hello)
            try await fourth.receive(until: "}\n")
        }
    }

    @Test func `The oldest stranger gives way to a newcomer, a device does not`() async throws {
        var limits = ConnectionLimits()
        limits.unauthenticatedMax = 10
        try await withServer(limits: limits) { daemon, device, http in
            let good = try RawSocket(device)
            await good.send(DeviceSocketTests.hello)
            try await good.receive(until: "}\n")
            let strangers = try (0..<30).map { try RawSocket($0 % 2 == 0 ? device : http) }
            await eventually("twenty gave way") {
                daemon.loops.counters.connectionsRefused.load(ordering: .relaxed) == 20
                    && daemon.loops.counters.connectionsOpen.load(ordering: .relaxed) == 11
            }
            let late = try RawSocket(device)
            await late.send(DeviceSocketTests.hello)
            try await late.receive(until: "}\n")
            await good.send(DeviceSocketTests.heartRate(1))
            try await good.receive(until: "\"seq\":1}\n")
            withExtendedLifetime(strangers) {}
        }
    }

    @Test func `An answer makes nobody known, a share that exists does`() async throws {
        var limits = ConnectionLimits()
        limits.unauthenticatedMax = 4
        try await withServer(limits: limits) { daemon, _, http in
            let counters = daemon.loops.counters
            let reader = try RawSocket(http)
            await reader.send("GET /shares/known HTTP/1.1\r\nHost: x\r\n\r\n")
            try await reader.receive(until: "\r\n\r\nread")
            let asker = try RawSocket(http)
            await asker.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            try await asker.receive(until: "hello")
            var strangers: [RawSocket] = []
            for target in ["/shares/none", "/shares/known", "/nowhere", "/hello"] {
                let socket = try RawSocket(http)
                let method = target == "/shares/known" ? "OPTIONS" : "GET"
                await socket.send("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
                try await socket.receive(until: "\r\n\r\n")
                strangers.append(socket)
            }
            #expect(try await asker.receive().isEmpty)
            #expect(counters.connectionsRefused.load(ordering: .relaxed) == 1)
            strangers += try (0..<4).map { _ in try RawSocket(http) }
            await eventually("all strangers gave way") {
                counters.connectionsRefused.load(ordering: .relaxed) == 5
            }
            await reader.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            try await reader.receive(until: "hello")
            withExtendedLifetime(strangers) {}
        }
    }

    @Test func `A device takes the place of a viewer where all places are taken`() async throws {
        var limits = ConnectionLimits()
        limits.connectionsMax = 16
        limits.unauthenticatedMax = 4
        try await withServer(limits: limits) { daemon, device, http in
            var viewers: [RawSocket] = []
            for number in 0..<12 {
                let viewer = try RawSocket(http)
                let head = try await viewer.upgrade("/v1/shares/known/live")
                // 16 less the places of strangers, of the operations listener and of the owner.
                #expect(head.hasPrefix(number < 8 ? "HTTP/1.1 101 " : "HTTP/1.1 503 "))
                viewers.append(viewer)
            }
            for _ in 0..<8 {
                let known = try RawSocket(device)
                await known.send(DeviceSocketTests.hello)
                try await known.receive(until: "}\n")
                viewers.append(known)
            }
            await eventually("all viewers gave way") {
                daemon.loops.counters.viewersConnected.load(ordering: .relaxed) == 0
                    && daemon.loops.counters.devicesConnected.load(ordering: .relaxed) == 8
            }
            withExtendedLifetime(viewers) {}
        }
    }

    @Test func `Behind a trusted proxy each address has its own limit`() async throws {
        var limits = ConnectionLimits()
        limits.connectionsPerAddressMax = 3
        let proxy = try #require(PeerAddress("127.0.0.1"))
        try await withServer(limits: limits, proxies: [proxy]) { _, _, http in
            var open: [RawSocket] = []
            for (address, placeCount) in [("203.0.113.9", 3), ("2001:db8::1", 3)] {
                for number in 0..<5 {
                    let socket = try RawSocket(http)
                    let head = try await socket.upgrade(
                        "/v1/shares/known/live", "X-Forwarded-For: \(address)\r\n")
                    #expect(
                        head.hasPrefix(number < placeCount ? "HTTP/1.1 101 " : "HTTP/1.1 429 "))
                    open.append(socket)
                }
            }
            for _ in 0..<5 {
                let socket = try RawSocket(http)
                let head = try await socket.upgrade("/v1/shares/known/live")
                #expect(head.hasPrefix("HTTP/1.1 101 "))
                open.append(socket)
            }
        }
    }
}
