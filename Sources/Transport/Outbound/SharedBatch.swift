import NIOCore
import Secrets
import Sharing

/// A viewer's pending messages joined into one array of bytes, built once for all viewers with the
/// same messages.
struct SharedBatch {
    private var messages: [EncodedMessage] = []
    private var form = Viewer.Form.webSocket
    private var bytes: [UInt8] = []
    private var buffer: ByteBuffer?
    private var inner: [UInt8]?

    /// Joins the messages; the bytes of a single message are already shared.
    mutating func bytes(of owed: [EncodedMessage], _ form: Viewer.Form) -> [UInt8] {
        if owed.count == 1 { return Self.bytes(of: owed[0], form) }
        join(owed, form)
        return bytes
    }

    /// Joins the messages and appends the type of application data, as TLS encrypts it; `nil` if
    /// the result is too long for one record.
    mutating func inner(of owed: [EncodedMessage], _ form: Viewer.Form) -> [UInt8]? {
        join(owed, form)
        guard bytes.count <= TLSTrafficKeys.contentBytesMax else { return nil }
        if let inner { return inner }
        let made = bytes + [TLSTrafficKeys.Content.application.rawValue]
        inner = made
        return made
    }

    /// Joins the messages in the library's buffer type, for TLS records that the library makes.
    mutating func buffer(of owed: [EncodedMessage], _ form: Viewer.Form) -> ByteBuffer {
        join(owed, form)
        if let buffer { return buffer }
        let made = ByteBuffer(bytes: bytes)
        buffer = made
        return made
    }

    private mutating func join(_ owed: [EncodedMessage], _ form: Viewer.Form) {
        if form == self.form, owed.elementsEqual(messages, by: ===) { return }
        messages = owed
        self.form = form
        buffer = nil
        inner = nil
        bytes = owed.flatMap { Self.bytes(of: $0, form) }
    }

    private static func bytes(of message: EncodedMessage, _ form: Viewer.Form) -> [UInt8] {
        switch form {
        case .webSocket: message.webSocketFrame
        case .eventStream: message.serverSentEvent
        }
    }
}
