import Bytes

/// The headers of frames.
extension WebSocketReader {
    mutating func readHeader(
        _ chunk: Span<UInt8>, _ position: inout Int
    ) throws(WebSocketRefusal) -> Bool {
        while position < chunk.count {
            header[headerCount] = chunk[position]
            headerCount += 1
            position += 1
            if headerCount == 2 { try checkStart() }
            guard headerCount >= 2, headerCount == Self.headerBytes(header[1]) else { continue }
            try beginFrame()
            headerCount = 0
            return true
        }
        return false
    }

    private static func headerBytes(_ second: UInt8) -> Int {
        switch second & 0x7F {
        case 126: 8
        case 127: 14
        default: 6
        }
    }

    private func checkStart() throws(WebSocketRefusal) {
        let opcode = header[0] & 0x0F
        let isFinal = header[0] & 0x80 != 0
        guard header[0] & 0x70 == 0 else { throw .reservedBits }
        switch opcode {
        case Opcode.continuation:
            guard messageOpcode != nil else { throw .continuationOfNothing }
        case Opcode.text, Opcode.binary:
            guard messageOpcode == nil else { throw .messageInsideMessage }
        case Opcode.close, Opcode.ping, Opcode.pong:
            guard isFinal else { throw .controlFragmented }
            guard header[1] & 0x7F <= 125 else { throw .controlTooLong }
        default: throw .unknownOpcode(opcode)
        }
        guard header[1] & 0x80 != 0 else { throw .notMasked }
    }

    private mutating func beginFrame() throws(WebSocketRefusal) {
        var length = Int(header[1] & 0x7F)
        let lengthBytes = length == 126 ? 2 : length == 127 ? 8 : 0
        if lengthBytes > 0 {
            guard header[2] & 0x80 == 0 || lengthBytes == 2 else { throw .lengthNotMinimal }
            length = (0..<lengthBytes).reduce(0) { $0 << 8 | Int(header[2 + $1]) }
            guard length > (lengthBytes == 2 ? 125 : 65_535) else { throw .lengthNotMinimal }
        }
        let opcode = header[0] & 0x0F
        var mask = InlineArray<4, UInt8>(repeating: 0)
        for index in 0..<4 { mask[index] = header[2 + lengthBytes + index] }
        frame = Frame(
            isFinal: header[0] & 0x80 != 0, opcode: opcode, mask: mask, remaining: length)
        guard opcode < 8 else { return }
        if opcode != Opcode.continuation {
            messageOpcode = opcode
            fragments = 0
            text = UTF8Stream()
        }
        // An empty last frame only ends the message.
        if length > 0 || header[0] & 0x80 == 0 { fragments += 1 }
        guard length <= bounds.messageBytesMax - message.count, fragments <= bounds.fragmentsMax
        else { throw .messageTooLarge }
        if message.isEmpty { message.reserveCapacity(min(length, 65_536)) }
    }
}
