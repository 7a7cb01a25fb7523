import Ring
import SensorModel
import Synchronization
import Testing
@testable import Transport
import WireFormat

@Suite(.serialized) struct DeviceSocketTests {
    static let session = "11111111-2222-3333-4444-555555555555"
    static let hello =
        "{\"type\":\"hello\",\"token\":\"good\",\"session\":\"\(session)\",\"sentAt\":1763700000}\n"

    static func heartRate(_ seq: Int, bpm: Int = 140) -> String {
        "{\"type\":\"heartRate\",\"heartRate\":\(bpm),\"timestamp\":1763700000.5,\"seq\":\(seq)}\n"
    }

    static func binary(_ kind: FrameKind, _ sequence: UInt32, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        BinaryFrame.appendHeader(
            FrameHeader(
                kind: kind, sequence: FrameSequence(rawValue: sequence),
                deviceTime: FakeDaemon.clock),
            payloadBytes: payload.count, to: &bytes)
        return bytes + payload
    }

    @Test func `Text lines are welcomed, recorded and acknowledged`() async throws {
        try await withServer { daemon, device, _ in
            let socket = try RawSocket(device)
            await socket.send(Self.hello)
            let welcome = try await socket.receive(until: "}\n")
            #expect(welcome.contains("\"welcome\""))
            await socket.send(Self.heartRate(1) + Self.heartRate(2))
            try await socket.receive(until: "{\"type\":\"ack\",\"seq\":2}\n")
            #expect(daemon.now.frames.map(\.header.sequence.rawValue) == [1, 2])
            #expect(daemon.now.openings.first?.format == .text)
            socket.close()
            await eventually("closed") { daemon.now.closed.count == 1 }
        }
    }

    @Test func `Binary frames come through byte for byte, however they are cut`() async throws {
        try await withServer { daemon, device, _ in
            let socket = try RawSocket(device)
            var bytes = BinaryFrame.preamble
            bytes += Self.binary(.hello, 0, Array(Self.hello.utf8.dropLast()))
            for number in UInt32(1)...20 {
                bytes += Self.binary(.heartRate, number, [0x78, 5, 0, 0])
            }
            for byte in bytes { await socket.send([byte]) }
            await eventually("frames") { daemon.now.frames.count == 20 }
            #expect(daemon.now.frames.allSatisfy { $0.payload == [0x78, 5, 0, 0] })
            #expect(daemon.now.openings.first?.format == .binary)
        }
    }

    @Test(arguments: [
        ("{\"type\":\"heartRate\",\"heartRate\":140,\"timestamp\":1763700000}\n", 4001),
        ("{\"type\":\"hello\",\"token\":\"bad\",\"session\":\"\(session)\"}\n", 4003),
        ("{\"type\":\"hello\",\"token\":\"good\",\"session\":\"no\"}\n", 4001),
        ("not JSON\n", 4001),
        (hello + String(repeating: "x", count: 66_000), 4013),
        ("PLS1\u{1}\u{0}", 4000),
    ])
    func `What cannot go on is closed with its code`(input: String, code: Int) async throws {
        try await withServer { daemon, device, _ in
            let socket = try RawSocket(device)
            await socket.send(input)
            let said = try await socket.receiveAllBytes()
            #expect(String(decoding: said, as: UTF8.self).contains("\"code\":\(code),"))
            let isHellos = code == 4001 || code == 4003
            #expect(daemon.loops.counters.hellosRefused["\(code)"] == (isHellos ? 1 : 0))
        }
    }

    @Test func `A frame before the hello is counted as one, over both transports`() async throws {
        try await withServer { daemon, device, http in
            let frame = Self.binary(.heartRate, 1, [0x78, 5, 0, 0])
            let socket = try RawSocket(device)
            await socket.send(BinaryFrame.preamble + frame + frame)
            _ = try await socket.receiveAllBytes()
            for (opcode, message) in [(UInt8(2), frame), (1, Array(Self.heartRate(1).utf8))] {
                let webSocket = try RawSocket(http)
                _ = try await webSocket.upgrade("/v1/device")
                await webSocket.send(ClientFrame.encode(opcode: opcode, message))
                _ = try await webSocket.receiveAllBytes()
            }
            #expect(daemon.loops.counters.hellosRefused["4001"] == 3)
            #expect(daemon.loops.counters.framesRefused.isEmpty)
        }
    }

    @Test func `Without a hello a connection is closed after its time`() async throws {
        var limits = ConnectionLimits()
        limits.helloSeconds = 1
        try await withServer(limits: limits) { _, device, _ in
            let socket = try RawSocket(device)
            #expect(try await socket.receiveAll().contains("\"code\":4001"))
        }
    }

    @Test func `A motion frame without its heart rate is counted`() async throws {
        try await withServer { daemon, device, _ in
            let socket = try RawSocket(device)
            let fields = ["accelerometer", "gyroscope"].flatMap { name in
                ["X", "Y", "Z"].map { "\"\(name)\($0)\":0" }
            }.joined(separator: ",")
            let seconds = FakeDaemon.clock.secondsSince1970
            await socket.send(Self.hello)
            for (number, beats) in [(1, 999), (2, 120)] {
                await socket.send(
                    "{\"seq\":\(number),\"heartRate\":\(beats),\"timestamp\":\(seconds),\(fields)}\n"
                )
            }
            _ = try await socket.receive(until: "\"seq\":2}\n")
            #expect(daemon.now.frames.count == 2)
            let dropped = daemon.loops.counters.heartRatesDropped.load(ordering: .relaxed)
            #expect(dropped == 1)
        }
    }

    @Test func `A refused frame uses its number and the connection stays`() async throws {
        try await withServer { daemon, device, _ in
            let socket = try RawSocket(device)
            await socket.send(Self.hello + Self.heartRate(1, bpm: 999) + Self.heartRate(2))
            let said = try await socket.receive(until: "\"seq\":2}\n")
            #expect(said.contains("\"code\":4000"))
            #expect(daemon.now.refused.map(\.rawValue) == [1])
            #expect(daemon.loops.counters.framesRefused["heart_rate_out_of_range"] == 1)
        }
    }

    @Test func `Frames faster than sensors measure close the connection, a backlog does not`()
        async throws
    {
        var limits = ConnectionLimits()
        limits.framesPerSecondMax = 5
        try await withServer(limits: limits) { _, device, _ in
            func line(_ number: Int, _ time: Double) -> String {
                #"{"type":"heartRate","heartRate":99,"timestamp":\#(time),"seq":\#(number)}"# + "\n"
            }
            let now = FakeDaemon.clock.secondsSince1970
            let old = try RawSocket(device)
            await old.send(Self.hello)
            for number in 1...200 { await old.send(line(number, now - 3600)) }
            #expect(try await old.receive(until: "\"seq\":200}\n").contains("welcome"))
            let live = try RawSocket(device)
            await live.send(Self.hello)
            for number in 201...260 { await live.send(line(number, now)) }
            #expect(try await live.receiveAll().contains("\"code\":4029"))
        }
    }

    @Test func `A device's connections are counted together, whatever loops they are on`()
        async throws
    {
        var limits = ConnectionLimits()
        limits.framesPerSecondMax = 5
        let daemon = FakeDaemon(loopCount: 2, clockRuns: true)
        try await withServer(daemon: daemon, limits: limits) { _, device, _ in
            let now = FakeDaemon.clock.secondsSince1970
            var sockets: [RawSocket] = []
            // The window allows 50; 60 come, 30 on each loop.
            for connection in 0..<4 {
                let socket = try RawSocket(device)
                await socket.send(Self.hello)
                try await socket.receive(until: "welcome")
                sockets.append(socket)
                for number in 1...15 {
                    let line =
                        #"{"type":"heartRate","heartRate":99,"timestamp":\#(now),"#
                        + #""seq":\#(connection * 15 + number)}"# + "\n"
                    await socket.send(line)
                }
                if connection < 3 {
                    try await socket.receive(until: "\"seq\":\(connection * 15 + 15)}\n")
                }
            }
            let loops = Set(daemon.now.openings.map(\.connection.loop))
            #expect(loops.count == 2)
            #expect(try await sockets[3].receiveAll().contains("\"code\":4029"))
        }
    }

    @Test func `More than a hundred refusals close the connection`() async throws {
        try await withServer { _, device, _ in
            let socket = try RawSocket(device)
            await socket.send(Self.hello)
            for number in 1...101 { await socket.send(Self.heartRate(number, bpm: 1)) }
            #expect(try await socket.receiveAll().contains("\"code\":4029"))
        }
    }

    /// Returns a device that was welcomed before the pipeline stalled.
    private static func welcomed(
        _ address: String, thenStalling daemon: FakeDaemon
    ) async throws -> RawSocket {
        let socket = try RawSocket(address)
        await socket.send(hello)
        try await socket.receive(until: "}\n")
        daemon.isStalled.store(true, ordering: .relaxed)
        return socket
    }

    @Test func `A full ring stops the reading and drops nothing`() async throws {
        let daemon = FakeDaemon(inboundBytes: 4096, acknowledges: false)
        try await withServer(daemon: daemon) { daemon, device, _ in
            let socket = try await Self.welcomed(device, thenStalling: daemon)
            let array = "[" + (1...300).map { Self.heartRate($0) }.joined(separator: ",") + "]\n"
            await socket.send(array.replacing("\n,", with: ",").replacing("\n]", with: "]"))
            for number in 301...2000 { await socket.send(Self.heartRate(number)) }
            await eventually("full") {
                daemon.loops.counters.ringFull.load(ordering: .relaxed) > 0
            }
            socket.close()
            daemon.isStalled.store(false, ordering: .relaxed)
            daemon.eventCount.ring()
            await eventually("closed") { daemon.now.closed.count == 1 }
            let sequences = daemon.now.frames.map(\.header.sequence.rawValue)
            #expect(sequences.count == 2000)
            #expect(zip(sequences, 1...).allSatisfy { $0 == $1 })
        }
    }

    @Test(arguments: [DeviceTransport.tcp, .webSocket])
    func `Who says hello to a full ring is welcomed once there is room`(
        _ transport: DeviceTransport
    ) async throws {
        let daemon = FakeDaemon(inboundBytes: 4096, acknowledges: false)
        try await withServer(daemon: daemon) { daemon, device, http in
            let socket = try await Self.welcomed(device, thenStalling: daemon)
            for number in 1...1000 { await socket.send(Self.heartRate(number)) }
            await eventually("full") {
                daemon.loops.counters.ringFull.load(ordering: .relaxed) > 0
            }
            let late = try RawSocket(transport == .tcp ? device : http)
            if transport == .tcp {
                await late.send(Self.hello)
            } else {
                _ = try await late.upgrade("/v1/device")
                await late.send(ClientFrame.text(Self.hello))
            }
            await eventually("admitted") {
                daemon.loops.counters.devicesConnected.load(ordering: .relaxed) == 2
            }
            daemon.isStalled.store(false, ordering: .relaxed)
            daemon.eventCount.ring()
            if transport == .tcp {
                #expect(try await late.receive(until: "}\n").contains("welcome"))
            } else {
                #expect(try await late.receiveText().contains("welcome"))
            }
        }
    }

    @Test(arguments: [1 << 20, 4096], [true, false])
    func `A device that ends its side has its welcome and every ack, and then the end`(
        inboundBytes: Int, lastLineFeed: Bool
    ) async throws {
        let daemon = FakeDaemon(inboundBytes: inboundBytes)
        try await withServer(daemon: daemon) { daemon, device, _ in
            let socket = try RawSocket(device)
            let sent = Self.hello + (1...500).map { Self.heartRate($0) }.joined()
            await socket.send(lastLineFeed ? sent : String(sent.dropLast()))
            socket.finishWriting()
            let lines = try await socket.receiveAll().split(separator: "\n")
            #expect(lines.first?.contains("welcome") == true)
            #expect(lines.last == #"{"type":"ack","seq":500}"#)
            #expect(daemon.now.frames.count == 500)
            await eventually("closed") { daemon.now.closed.count == 1 }
        }
    }

    @Test func `A device that ends its side and is not let go is closed after its time`()
        async throws
    {
        var limits = ConnectionLimits()
        limits.halfClosedSeconds = 1
        let daemon = FakeDaemon(finishes: false)
        try await withServer(daemon: daemon, limits: limits) { daemon, device, _ in
            let socket = try RawSocket(device)
            await socket.send(Self.hello + Self.heartRate(1))
            socket.finishWriting()
            #expect(try await socket.receiveAll().hasSuffix("{\"type\":\"ack\",\"seq\":1}\n"))
            await eventually("closed") { daemon.now.closed.count == 1 }
        }
    }

    @Test(arguments: ["", "{", "PLS", String(hello.dropLast(2))])
    func `A peer that ends its side without a hello is closed`(input: String) async throws {
        try await withServer { daemon, device, _ in
            let socket = try RawSocket(device)
            await socket.send(input)
            socket.finishWriting()
            #expect(try await socket.receiveAll().isEmpty)
            #expect(daemon.now.openings.isEmpty)
        }
    }

    @Test func `Stopping tells devices to come back`() async throws {
        let daemon = FakeDaemon()
        let server = TransportServer(
            loops: daemon.loops,
            listeners: [
                ListenerConfiguration(
                    name: "device", address: .tcp(host: "127.0.0.1", port: 0), service: .device)
            ], devices: daemon, viewers: daemon)
        let address = try await server.start()["device"] ?? ""
        let socket = try RawSocket(address)
        await socket.send(Self.hello)
        try await socket.receive(until: "}\n")
        await server.stopListening()
        async let stopped: Void = server.closeAll()
        #expect(try await socket.receiveAll().contains("\"code\":1012"))
        socket.close()
        await stopped
        await daemon.stop()
    }

    @Test func `Pushed frames take the same way`() async throws {
        try await withServer { daemon, _, _ in
            let push = await daemon.loops.openPushConnection(
                device: DeviceID(rawValue: 9), session: SessionID(high: 1, low: 2),
                recorded: false)
            let header = FrameHeader(
                kind: .heartRate, sequence: .none, deviceTime: FakeDaemon.clock)
            await push.send([PushedFrame(header: header, payload: [1, 2, 3, 4])])
            await push.close()
            await eventually("closed") { daemon.now.closed == [push.connection] }
            #expect(daemon.now.openings.first?.transport == .push)
            #expect(daemon.now.frames.first?.payload == [1, 2, 3, 4])
        }
    }

    @Test func `A request of many thousand frames lets others in between`() async throws {
        let daemon = FakeDaemon(inboundBytes: 1 << 16)
        daemon.isStalled.store(true, ordering: .relaxed)
        func open(_ number: UInt8) async -> PushConnection {
            await daemon.loops.openPushConnection(
                device: DeviceID(rawValue: UInt32(number)),
                session: SessionID(high: 1, low: UInt64(number)), recorded: false)
        }
        func frames(_ count: Int, of number: UInt8) -> [PushedFrame] {
            let header = FrameHeader(
                kind: .heartRate, sequence: .none, deviceTime: FakeDaemon.clock)
            return Array(repeating: PushedFrame(header: header, payload: [number]), count: count)
        }
        let (large, small) = (await open(1), await open(2))
        async let isSent: Void = large.send(frames(20_000, of: 1))
        await eventually("it had several turns") {
            daemon.loops.counters.framesPushed.load(ordering: .relaxed) > 500
        }
        async let isSentToo: Void = small.send(frames(1, of: 2))
        daemon.isStalled.store(false, ordering: .relaxed)
        _ = await (isSent, isSentToo)
        await eventually("all came") { daemon.now.frames.count == 20_001 }
        let place = try #require(daemon.now.frames.firstIndex { $0.payload == [2] })
        #expect(place < 5000)
        await daemon.stop()
    }
}
