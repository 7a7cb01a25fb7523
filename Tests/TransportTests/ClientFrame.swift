/// Frames of a client: masked, and valid or not as a test needs.
enum ClientFrame {
    static func encode(
        opcode: UInt8, _ payload: [UInt8] = [], final: Bool = true, reserved: UInt8 = 0,
        masked: Bool = true
    ) -> [UInt8] {
        var bytes: [UInt8] = [(final ? 0x80 : 0) | reserved << 4 | opcode]
        let flag: UInt8 = masked ? 0x80 : 0
        switch payload.count {
        case ..<126: bytes.append(flag | UInt8(payload.count))
        case ..<65_536:
            bytes += [flag | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(flag | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(payload.count >> shift & 0xFF))
            }
        }
        guard masked else { return bytes + payload }
        let mask: [UInt8] = [0x12, 0x9F, 0x00, 0xE7]
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    static func text(_ text: String, final: Bool = true) -> [UInt8] {
        encode(opcode: 1, Array(text.utf8), final: final)
    }

    static func upgrade(_ target: String, _ fields: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + fields + "\r\n"
    }
}

extension RawSocket {
    /// Sends an upgrade and returns the server's head, up to the empty line.
    func upgrade(_ target: String, _ fields: String = "") async throws -> String {
        await send(ClientFrame.upgrade(target, fields))
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            let byte = try await receive(1)
            guard !byte.isEmpty else { break }
            head += byte
        }
        return String(decoding: head, as: UTF8.self)
    }

    func receive(exactly count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try await receive(count - bytes.count)
            guard !more.isEmpty else {
                throw Failure.closed(after: String(decoding: bytes, as: UTF8.self))
            }
            bytes += more
        }
        return bytes
    }

    /// Receives one frame of the server.
    func receiveFrame() async throws -> (opcode: UInt8, payload: [UInt8]) {
        let start = try await receive(exactly: 2)
        var count = Int(start[1] & 0x7F)
        if count >= 126 {
            let length = try await receive(exactly: count == 126 ? 2 : 8)
            count = length.reduce(0) { $0 << 8 | Int($1) }
        }
        return (start[0] & 0x0F, count == 0 ? [] : try await receive(exactly: count))
    }

    /// Returns the code of the close frame, skipping other frames; `nil`: the stream had none.
    /// Reads at once: two seconds after its close, the daemon resets a peer that has not closed.
    func receiveLastClose() async throws -> Int? {
        var rest = try await receiveAllBytes()[...]
        while rest.count >= 2 {
            let (opcode, count) = (rest.removeFirst() & 0x0F, Int(rest.removeFirst()))
            guard count < 126 else { return nil }
            if opcode == 8 { return rest.prefix(2).reduce(0) { $0 << 8 | Int($1) } }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    func receiveText() async throws -> String {
        String(decoding: try await receiveFrame().payload, as: UTF8.self)
    }

    /// Returns the code of the next frame, which must be a close.
    func receiveClose() async throws -> Int {
        let frame = try await receiveFrame()
        guard frame.opcode == 8, frame.payload.count >= 2 else { return Int(frame.opcode) }
        return Int(frame.payload[0]) << 8 | Int(frame.payload[1])
    }
}
