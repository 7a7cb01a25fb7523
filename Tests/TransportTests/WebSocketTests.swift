import SensorModel
import Synchronization
import Testing
import Transport
import WireFormat

@Suite(.serialized) struct WebSocketTests {
    @Test func `The upgrade answers the key and the subprotocol`() async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            let head = try await socket.upgrade(
                "/v1/device", "Sec-WebSocket-Protocol: other, pulsecast.device.v1\r\n")
            #expect(head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
            #expect(head.lowercased().contains("s3pplmbitxaq9kygzzhzrbk+xoo="))
            #expect(head.contains("Sec-WebSocket-Protocol: pulsecast.device.v1\r\n"))
        }
    }

    @Test(arguments: [
        ("/v1/device", "Authorization: Bearer bad\r\n", 401),
        ("/v1/shares/none/live", "", 404),
        ("/v1/shares/crowded/live", "", 429),
        ("/v1/shares/known/live", "Origin: https://evil.example\r\n", 403),
        ("/v1/shares/known/live", "Origin: https://good.example\r\n", 101),
        ("/v1/shares/known/live", "Origin: http://x\r\n", 101),
        ("/hello", "", 200),
    ])
    func `Who may not come in is told before the upgrade`(
        target: String, fields: String, status: Int
    ) async throws {
        try await withServer(origins: ["https://good.example"]) { _, _, http in
            let socket = try RawSocket(http)
            let head = try await socket.upgrade(target, fields)
            #expect(head.hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    /// Fields that the parser does not take for an upgrade: it goes on with requests.
    @Test(arguments: ["Upgrade\t", "Upgrade\t,x", "\tUpgrade\t", "x,Upgrade\t", "Upgrade ,\tx"])
    func `What follows an upgrade that the parser did not see is not taken for a request`(
        connection: String
    ) async throws {
        try await withServer { daemon, _, http in
            for target in ["/v1/device", "/v1/shares/known/live", "/program"] {
                for body in ["", "Content-Length: 3\r\n"] {
                    let socket = try RawSocket(http)
                    let head = ClientFrame.upgrade(target, body)
                        .replacing("Connection: Upgrade", with: "Connection: \(connection)")
                    let next = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"
                    await socket.send(head + (body.isEmpty ? "" : "abc") + next + next)
                    socket.finishWriting()
                    _ = try await socket.receiveAllBytes()
                }
            }
            let counters = daemon.loops.counters
            await eventually("no connection is left") {
                counters.connectionsOpen.load(ordering: .relaxed) == 0
            }
        }
    }

    @Test(arguments: [
        ([], "Origin: https://evil.example", 403), ([], "Origin: http://x", 101),
        ([], "Origin: null", 403), ([], "", 101), (["*"], "Origin: https://evil.example", 101),
        (["https://good.example"], "Origin: HTTPS://GOOD.EXAMPLE", 101),
        (["https://good.example"], "Origin: https://good.example.evil.example", 403),
        (["https://good.example"], "Origin: http://good.example", 403),
    ])
    func `A page from elsewhere opens a socket only where its origin is listed`(
        origins: [String], field: String, status: Int
    ) async throws {
        try await withServer(origins: origins) { _, _, http in
            for target in ["/v1/shares/known/live", "/v1/device", "/echo"] {
                let socket = try RawSocket(http)
                let head = try await socket.upgrade(target, field.isEmpty ? "" : field + "\r\n")
                #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(target) \(field)")
            }
        }
    }

    @Test(arguments: [
        ("dGhlIHNhbXBsZSBub25jZQ==", 101), ("AAAAAAAAAAAAAAAAAAAAAA==", 101),
        ("++++////++++////++++//==", 101), ("", 400), ("x", 400), ("dGhlIHNhbXBsZSBub25jZQ", 400),
        ("dGhlIHNhbXBsZSBub25jZQ=", 400), ("dGhlIHNhbXBsZSBub25jZTE=", 400),
        ("dGhlIHNhbXBsZSBub25j", 400), ("dGhlIHNhbXBsZSBub25jZTEyMzQ1", 400),
        ("dGhlIHNhbXBsZSBub25_ZQ==", 400), ("dGhl=HNhbXBsZSBub25jZQ==", 400),
        ("dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", 400),
    ])
    func `A key is 16 bytes of base64, given once`(key: String, status: Int) async throws {
        try await withServer { _, _, http in
            for target in ["/v1/shares/known/live", "/v1/device", "/echo", "/program"] {
                let socket = try RawSocket(http)
                await socket.send(
                    "GET \(target) HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
                        + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: \(key)\r\n\r\n")
                let answer = try await socket.receive(until: "\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(target) \(answer)")
            }
        }
    }

    @Test func `Everything comes back from the echo`() async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade("/echo")
            for count in [0, 1, 125, 126, 127, 65_535, 65_536, 1_000_000] {
                let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                await socket.send(ClientFrame.encode(opcode: 2, payload))
                let frame = try await socket.receiveFrame()
                #expect(frame.opcode == 2)
                #expect(frame.payload == payload)
            }
            await socket.send(ClientFrame.text("Hel", final: false))
            await socket.send(ClientFrame.encode(opcode: 9, [1, 2, 3]))
            await socket.send(ClientFrame.encode(opcode: 0, Array("lö".utf8)))
            let pong = try await socket.receiveFrame()
            #expect(pong.opcode == 10 && pong.payload == [1, 2, 3])
            #expect(try await socket.receiveText() == "Hellö")
            await socket.send(ClientFrame.encode(opcode: 8, [0x03, 0xE8]))
            #expect(try await socket.receiveClose() == 1000)
            #expect(try await socket.receive().isEmpty)
        }
    }

    @Test func `Megabytes and sixty-five thousand fragments are a message`() async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade("/echo")
            let payload = [UInt8](repeating: 0x61, count: 3 << 20)
            async let sent: Void = socket.send(ClientFrame.encode(opcode: 1, payload))
            let count = try await socket.receiveFrame().payload.count
            #expect(count == 3 << 20)
            await sent
            var fragments = ClientFrame.encode(opcode: 1, [0x61], final: false)
            for _ in 2..<65_536 {
                fragments += ClientFrame.encode(opcode: 0, [0x61], final: false)
            }
            fragments += ClientFrame.encode(opcode: 0, [0x61], final: false)
            // As in the public suite, an empty fragment ends the message.
            fragments += ClientFrame.encode(opcode: 0)
            async let all: Void = socket.send(fragments)
            #expect(try await socket.receiveFrame().payload.count == 65_536)
            await all
        }
    }

    @Test(
        arguments: [
            (ClientFrame.encode(opcode: 1, [], masked: false), 1002),
            (ClientFrame.encode(opcode: 1, [], reserved: 4), 1002),
            (ClientFrame.encode(opcode: 3), 1002),
            (ClientFrame.encode(opcode: 11), 1002),
            (ClientFrame.encode(opcode: 0), 1002),
            (ClientFrame.encode(opcode: 9, [], final: false), 1002),
            (ClientFrame.encode(opcode: 9, [UInt8](repeating: 0, count: 126)), 1002),
            (ClientFrame.text("a", final: false) + ClientFrame.text("b"), 1002),
            (ClientFrame.encode(opcode: 1, [0xFF]), 1007),
            (ClientFrame.encode(opcode: 1, [0xE2, 0x82]), 1007),
            (ClientFrame.encode(opcode: 1, [0xED, 0xA0, 0x80]), 1007),
            (ClientFrame.encode(opcode: 1, [0xF4, 0x90], final: false), 1007),
            (ClientFrame.encode(opcode: 8, [3]), 1002),
            (ClientFrame.encode(opcode: 8, [0x03, 0xED]), 1002),
            (ClientFrame.encode(opcode: 8, [0x07, 0xD0]), 1002),
            (ClientFrame.encode(opcode: 8, [0x03, 0xE8, 0xFF]), 1007),
            (ClientFrame.encode(opcode: 8, [0x0B, 0xB8]), 3000),
            (ClientFrame.encode(opcode: 8, [0x13, 0x87]), 4999),
            ([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4], 1002),
            ([0x82, 0xFE, 0, 5, 1, 2, 3, 4], 1002),
            ([0x82, 0xFF, 0, 0, 0, 0, 0x7F, 0, 0, 0, 1, 2, 3, 4], 1009),
        ] as [([UInt8], Int)])
    func `What the protocol forbids closes with its code`(
        bytes: [UInt8], code: Int
    ) async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade("/echo")
            await socket.send(bytes)
            #expect(try await socket.receiveClose() == code)
            #expect(try await socket.receive().isEmpty)
        }
    }

    @Test func `A device speaks text or binary, several frames a message`() async throws {
        try await withServer { daemon, _, http in
            let text = try RawSocket(http)
            _ = try await text.upgrade("/v1/device", "Authorization: Bearer good\r\n")
            let hello = "{\"type\":\"hello\",\"session\":\"\(DeviceSocketTests.session)\"}"
            await text.send(ClientFrame.text(hello))
            #expect(try await text.receiveText().contains("welcome"))
            let frames = [1, 2].map { DeviceSocketTests.heartRate($0).dropLast() }
            await text.send(ClientFrame.text("[" + frames.joined(separator: ",") + "]"))
            #expect(try await text.receiveText() == "{\"type\":\"ack\",\"seq\":1}")

            let binary = try RawSocket(http)
            _ = try await binary.upgrade("/v1/device")
            let payload = Array(DeviceSocketTests.hello.utf8.dropLast())
            await binary.send(
                ClientFrame.encode(opcode: 2, DeviceSocketTests.binary(.hello, 0, payload)))
            #expect(try await binary.receiveFrame().payload[2] == FrameKind.welcome.rawValue)
            let heartRate = DeviceSocketTests.binary(.heartRate, 7, [0x78, 5, 0, 0])
            let next = DeviceSocketTests.binary(.heartRate, 8, [0x78, 5, 0, 0])
            await binary.send(ClientFrame.encode(opcode: 2, heartRate + next))
            #expect(try await binary.receiveFrame().payload[2] == FrameKind.ack.rawValue)
            await eventually("four frames") { daemon.now.frames.count == 4 }
        }
    }

    @Test(arguments: [
        (
            ClientFrame.text(
                "{\"type\":\"hello\",\"token\":\"bad\",\"session\":\""
                    + DeviceSocketTests.session + "\"}"), 4003
        ),
        (ClientFrame.text("[]x"), 4001),
        (ClientFrame.encode(opcode: 2, [1, 0]), 4000),
        (ClientFrame.encode(opcode: 2, [UInt8](repeating: 0, count: 1 << 20 | 1)), 4013),
    ])
    func `A device's mistake has its close code`(bytes: [UInt8], code: Int) async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade("/v1/device")
            await socket.send(bytes)
            var frame = try await socket.receiveFrame()
            if frame.opcode != 8 { frame = try await socket.receiveFrame() }
            #expect(frame.payload.prefix(2) == [UInt8(code >> 8), UInt8(code & 0xFF)])
        }
    }

    @Test func `A full ring holds a WebSocket device, too`() async throws {
        let daemon = FakeDaemon(inboundBytes: 4096, acknowledges: false)
        try await withServer(daemon: daemon) { daemon, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade("/v1/device", "Authorization: Bearer good\r\n")
            let hello = "{\"type\":\"hello\",\"session\":\"\(DeviceSocketTests.session)\"}"
            await socket.send(ClientFrame.text(hello))
            _ = try await socket.receiveText()
            daemon.isStalled.store(true, ordering: .relaxed)
            for number in stride(from: 1, to: 1000, by: 2) {
                let pair = [number, number + 1].map { DeviceSocketTests.heartRate($0).dropLast() }
                await socket.send(ClientFrame.text("[" + pair.joined(separator: ",") + "]"))
            }
            await eventually("full") {
                daemon.loops.counters.ringFull.load(ordering: .relaxed) > 0
            }
            socket.close()
            daemon.isStalled.store(false, ordering: .relaxed)
            await eventually("closed") { daemon.now.closed.count == 1 }
            let sequences = daemon.now.frames.map(\.header.sequence.rawValue)
            #expect(sequences.count == 1000)
            #expect(zip(sequences, 1...).allSatisfy { $0 == $1 })
        }
    }

    @Test func `A program talks until it returns`() async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            let head = try await socket.upgrade("/program", "Sec-WebSocket-Protocol: shout\r\n")
            #expect(head.contains("Sec-WebSocket-Protocol: shout\r\n"))
            for word in ["one", "two"] {
                await socket.send(ClientFrame.text(word))
                #expect(try await socket.receiveText() == word.uppercased())
            }
            await socket.send(ClientFrame.text("bye"))
            #expect(try await socket.receiveClose() == 1000)
        }
    }

    @Test(arguments: ["/v1/device", "/v1/shares/known/live", "/echo"], [UInt8(9), 10])
    func `Who sends pings or pongs without end is closed`(target: String, opcode: UInt8)
        async throws
    {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade(target)
            let control = ClientFrame.encode(opcode: opcode)
            // A burst within a program's limit is answered.
            await socket.send((0..<20).flatMap { _ in control })
            for _ in 0..<(opcode == 9 ? 20 : 0) {
                var frame = try await socket.receiveFrame()
                while frame.opcode != 10 { frame = try await socket.receiveFrame() }
            }
            await socket.send((0..<500).flatMap { _ in control })
            #expect(try await socket.receiveLastClose() == 4029)
        }
    }

    @Test func `A silent peer is pinged, and closed when it does not answer`() async throws {
        var limits = ConnectionLimits()
        limits.pingSeconds = 1
        try await withServer(limits: limits) { _, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade("/echo")
            #expect(try await socket.receiveFrame().opcode == 9)
            await socket.send(ClientFrame.encode(opcode: 10))
            #expect(try await socket.receiveFrame().opcode == 9)
            #expect(try await socket.receive().isEmpty)
        }
    }
}
