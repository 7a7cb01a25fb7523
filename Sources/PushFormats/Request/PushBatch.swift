import Bytes
public import Recordings
public import SensorModel

/// The contents of one push request, and its answer.
public struct PushBatch: Sendable {
    /// Frames in order of time, without sequences.
    public var frames: [Frame]
    /// The format's own ID of the recording; a different ID means another session.
    public var sessionHint: String?
    /// Whether the application marks the recording as finished.
    public var endsSession: Bool
    /// Whether the application discards the recording, which also ends it.
    public var discardsSession: Bool
    public var refused: RefusalCounts
    /// Waiting commands that the reply delivers.
    public var deliveredCommands: [PhoneCommand]
    public var reply: PushReply

    init(reply: PushReply) {
        frames = []
        sessionHint = nil
        endsSession = false
        discardsSession = false
        refused = RefusalCounts()
        deliveredCommands = []
        self.reply = reply
    }
}

public struct PushReply: Hashable, Sendable {
    public var status: Int
    /// Value of the `Content-Type` header; `nil` for no header.
    public var contentType: String?
    public var body: [UInt8]

    init(status: Int, contentType: String?, body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    static func text(_ text: String) -> PushReply {
        PushReply(
            status: 200, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }

    static func json(_ text: String) -> PushReply {
        PushReply(status: 200, contentType: "application/json", body: Array(text.utf8))
    }

    static let empty = PushReply(status: 200, contentType: nil, body: [])

    /// Returns a refusal in the form of the API's errors.
    static func refusal(status: Int, _ code: CloseCode, _ reason: String) -> PushReply {
        var json = JSONWriter()
        json.object { object in
            object.integer("code", Int64(code.rawValue))
            object.string("reason", reason)
        }
        return PushReply(status: status, contentType: "application/json", body: json.bytes)
    }
}
