/// WebSocket frames of a client, byte by byte, valid or not.
enum WebSocketFrame {
    static func encode(
        opcode: UInt8, _ payload: [UInt8], masked: Bool = true, reserved: UInt8 = 0
    ) -> [UInt8] {
        var bytes: [UInt8] = [0x80 | reserved << 4 | opcode]
        let flag: UInt8 = masked ? 0x80 : 0
        switch payload.count {
        case ..<126: bytes.append(flag | UInt8(payload.count))
        case ..<65_536: bytes += [flag | 126] + bigEndian(payload.count, bytes: 2)
        default: bytes += [flag | 127] + bigEndian(payload.count, bytes: 8)
        }
        // A mask of zeros is valid.
        return bytes + (masked ? [0, 0, 0, 0] : []) + payload
    }

    static func text(_ text: String) -> [UInt8] { encode(opcode: 1, Array(text.utf8)) }
    static func binary(_ bytes: [UInt8]) -> [UInt8] { encode(opcode: 2, bytes) }

    private static func bigEndian(_ number: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}

extension PlainSocket {
    /// - Returns: The status of the answer; 101 where the connection is a WebSocket now.
    func upgrade(_ target: String) async throws -> Int {
        await send(
            Array(
                """
                GET \(target) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\
                Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
                """.utf8))
        let status = try await line()?.split(separator: " ").dropFirst().first
        while let field = try await line(), field != "\r" {}
        return status.flatMap { Int($0) } ?? 0
    }

    enum WebSocketMessage: Hashable {
        case text(String)
        case close(code: Int)
        case other(opcode: UInt8)
    }

    /// - Returns: The server's next message; `nil` at the end of the connection.
    func message() async throws -> WebSocketMessage? {
        guard let head = try await bytes(2) else { return nil }
        var count = Int(head[1] & 0x7F)
        if count >= 126 {
            guard let length = try await bytes(count == 126 ? 2 : 8) else { return nil }
            count = length.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let payload = try await bytes(count) else { return nil }
        switch head[0] & 0x0F {
        case 1: return .text(String(decoding: payload, as: UTF8.self))
        case 8: return .close(code: payload.prefix(2).reduce(0) { $0 << 8 | Int($1) })
        case let opcode: return .other(opcode: opcode)
        }
    }
}
