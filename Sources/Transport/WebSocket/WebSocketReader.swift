import Bytes

/// A strict and pure decoder of one client's bytes into messages.
///
/// It replaces the library's decoder, because it holds no memory while idle, unmasks directly into
/// the message, and refuses bad UTF-8 at its first byte.
struct WebSocketReader: Sendable {
    enum Event: Hashable, Sendable {
        /// The message is in ``WebSocketReader/message`` until the next call.
        case text
        case binary
        case ping([UInt8])
        case pong
        /// `nil`: a close without a code.
        case close(UInt16?)
    }

    struct Bounds: Hashable, Sendable {
        let messageBytesMax: Int
        /// Maximum number of fragments of a message, since even empty ones cost time: one for each
        /// 256 bytes of ``messageBytesMax``, but at least 16.
        let fragmentsMax: Int

        init(messageBytesMax: Int) {
            self.messageBytesMax = messageBytesMax
            fragmentsMax = max(Self.fragmentsMin, messageBytesMax / 256)
        }

        private static let fragmentsMin = 16
    }

    enum Opcode {
        static let continuation: UInt8 = 0
        static let text: UInt8 = 1
        static let binary: UInt8 = 2
        static let close: UInt8 = 8
        static let ping: UInt8 = 9
        static let pong: UInt8 = 10
    }

    struct Frame {
        var isFinal: Bool
        var opcode: UInt8
        var mask: InlineArray<4, UInt8>
        /// Payload bytes still to come.
        var remaining: Int
        /// Bytes unmasked so far, modulo 4.
        var phase = 0

        var isControl: Bool { opcode >= 8 }
    }

    let bounds: Bounds
    var header = InlineArray<14, UInt8>(repeating: 0)
    var headerCount = 0
    var frame: Frame?
    var message: [UInt8] = []
    private var control: [UInt8] = []
    /// Opcode of the current message; `nil` between messages.
    var messageOpcode: UInt8?
    var fragments = 0
    var text = UTF8Stream()
    private var messageIsDone = false

    init(bounds: Bounds) {
        self.bounds = bounds
    }

    /// Continues with `chunk` from `position`, up to the end of a message or a control frame.
    ///
    /// - Returns: `nil` if the chunk is used up.
    /// - Throws: ``WebSocketRefusal``; the connection must be closed with its code.
    mutating func next(
        in chunk: Span<UInt8>, from position: inout Int
    ) throws(WebSocketRefusal) -> Event? {
        if messageIsDone { forgetMessage() }
        while true {
            if frame == nil {
                guard try readHeader(chunk, &position) else { return nil }
            }
            try takePayload(chunk, &position)
            guard let done = frame, done.remaining == 0 else { return nil }
            frame = nil
            if let event = try finish(done) { return event }
        }
    }

    private mutating func forgetMessage() {
        messageIsDone = false
        // Large buffers are released: few peers need them, and idle ones must not hold them.
        message.removeAll(keepingCapacity: message.capacity <= 512)
    }

    private mutating func takePayload(
        _ chunk: Span<UInt8>, _ position: inout Int
    ) throws(WebSocketRefusal) {
        guard var current = frame else { return }
        let end = position + min(current.remaining, chunk.count - position)
        let isText = messageOpcode == Opcode.text
        while position < end {
            let byte = chunk[position] ^ current.mask[current.phase]
            current.phase = (current.phase + 1) & 3
            position += 1
            current.remaining -= 1
            if current.isControl {
                control.append(byte)
            } else {
                guard !isText || text.accepts(byte) else { throw .notUTF8 }
                message.append(byte)
            }
        }
        frame = current
    }

    private mutating func finish(_ frame: Frame) throws(WebSocketRefusal) -> Event? {
        guard frame.isControl else { return try finishData(frame) }
        let payload = control
        control = []
        switch frame.opcode {
        case Opcode.ping: return .ping(payload)
        case Opcode.pong: return .pong
        default: return .close(try Self.closeCode(payload))
        }
    }

    private mutating func finishData(_ frame: Frame) throws(WebSocketRefusal) -> Event? {
        guard frame.isFinal else { return nil }
        let isText = messageOpcode == Opcode.text
        guard !isText || text.isComplete else { throw .notUTF8 }
        messageOpcode = nil
        messageIsDone = true
        return isText ? .text : .binary
    }

    private static func closeCode(_ payload: [UInt8]) throws(WebSocketRefusal) -> UInt16? {
        guard !payload.isEmpty else { return nil }
        guard payload.count >= 2 else { throw .closePayload }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: break
        default: throw .closePayload
        }
        guard UTF8Check.isValid(Array(payload[2...]).span) else { throw .notUTF8 }
        return code
    }
}
