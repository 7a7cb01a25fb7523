@testable import Transport

/// Frames of a client: messages do not depend on how the network split them, and accepted bytes are
/// valid for a strict client.
enum WebSocketTarget {
    private static let bounds = WebSocketReader.Bounds(messageBytesMax: 4096)

    private enum Said: Hashable {
        case text([UInt8])
        case binary([UInt8])
        case ping([UInt8])
        case pong
        case close(UInt16?)
        case refused(WebSocketRefusal)
    }

    /// The first byte selects how the rest is split into chunks.
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let stream = Array(bytes.dropFirst())
        let whole = said(in: stream, chunkBytes: max(1, stream.count))
        let cut = said(in: stream, chunkBytes: Int(first) % 61 + 1)
        precondition(whole == cut, "messages depend on how the network cut them")
        for said in whole { check(said) }
    }

    private static func said(in stream: [UInt8], chunkBytes: Int) -> [Said] {
        var reader = WebSocketReader(bounds: bounds)
        var all: [Said] = []
        var start = 0
        while start < stream.count {
            let end = min(start + chunkBytes, stream.count)
            var position = 0
            do throws(WebSocketRefusal) {
                let chunk = stream.span.extracting(start..<end)
                while let event = try reader.next(in: chunk, from: &position) {
                    all.append(said(event, reader.message))
                    if case .close = event { return all }
                }
            } catch { return all + [.refused(error)] }
            precondition(position == end - start, "bytes are left, and nothing was said of them")
            precondition(reader.message.count <= bounds.messageBytesMax)
            start = end
        }
        return all
    }

    private static func said(_ event: WebSocketReader.Event, _ message: [UInt8]) -> Said {
        switch event {
        case .text: .text(message)
        case .binary: .binary(message)
        case .ping(let payload): .ping(payload)
        case .pong: .pong
        case .close(let code): .close(code)
        }
    }

    private static func check(_ said: Said) {
        switch said {
        case .text(let message):
            precondition(String(validating: message, as: UTF8.self) != nil, "text is not UTF-8")
            repeatMessage(1, message, said)
        case .binary(let message): repeatMessage(2, message, said)
        case .ping(let payload):
            precondition(payload.count <= 125, "a ping is too long")
            repeatMessage(9, payload, said)
        case .close(let code?): precondition((1000...4999).contains(code), "close code \(code)")
        case .pong, .close(nil), .refused: break
        }
    }

    /// Checks that the same message in one frame gives the same result.
    private static func repeatMessage(_ opcode: UInt8, _ payload: [UInt8], _ expected: Said) {
        let once = said(in: frame(opcode, payload), chunkBytes: 1000)
        precondition(once == [expected], "a message does not come back")
    }

    private static func frame(
        _ opcode: UInt8, _ payload: [UInt8], isLast: Bool = true
    ) -> [UInt8] {
        let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        var bytes = [(isLast ? 0x80 : 0) | opcode]
        switch payload.count {
        case ...125: bytes.append(0x80 | UInt8(payload.count))
        default: bytes += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        }
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    static let seeds: [[UInt8]] = [
        frame(1, Array("{\"seek\":3}".utf8)), frame(2, [UInt8](repeating: 7, count: 300)),
        frame(1, Array("ä".utf8.prefix(1)), isLast: false) + frame(9, [1])
            + frame(0, Array("ä".utf8.suffix(1))),
        frame(10, []) + frame(8, [0x03, 0xE8] + Array("bye".utf8)), frame(8, []),
    ].map { [3] + $0 }
}
