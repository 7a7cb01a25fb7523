import Testing

@testable import Transport

/// Many small messages, and their cost for others.
@Suite struct MessageFloodTests {
    @Test func `A short message does not come in very many pieces`() async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade("/v1/shares/known/live")
            let pieces = (0..<40).flatMap { _ in ClientFrame.encode(opcode: 0, [], final: false) }
            await socket.send(ClientFrame.text("{", final: false) + pieces)
            #expect(try await socket.receiveLastClose() == 4013)
        }
    }

    @Test func `A viewer that says what is no command is told so a few times`() async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade("/v1/shares/known/live")
            await socket.send((0..<60).flatMap { _ in ClientFrame.text("no") })
            await socket.send(ClientFrame.encode(opcode: 9))
            var refusals = 0
            var frame = try await socket.receiveFrame()
            while frame.opcode != 10 {
                let text = String(decoding: frame.payload, as: UTF8.self)
                if text.contains("no playback command") { refusals += 1 }
                frame = try await socket.receiveFrame()
            }
            #expect((16...20).contains(refusals))
        }
    }

    /// Such messages cost as much as frames and count as wrong ones.
    @Test(arguments: ["", " ", "[]"])
    func `A device that sends messages without an object is closed`(text: String) async throws {
        try await withServer { _, _, http in
            let socket = try RawSocket(http)
            _ = try await socket.upgrade("/v1/device", "Authorization: Bearer good\r\n")
            let hello = "{\"type\":\"hello\",\"session\":\"\(DeviceSocketTests.session)\"}"
            await socket.send(ClientFrame.text(hello))
            await socket.send((0..<300).flatMap { _ in ClientFrame.text(text) })
            #expect(try await socket.receiveLastClose() == 4029)
        }
    }
}
