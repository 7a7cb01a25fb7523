public import SensorModel

/// What one request of another application's holds, and what to answer it.
public struct PushBatch: Sendable {
    /// In order of time; none has a sequence.
    public var frames: [Frame]
    /// The format's own identity of the recording; requests with another one are another session.
    public var sessionHint: String?
    /// The application says that the recording is over.
    public var endsSession: Bool
    /// The application throws the recording away; it is over, too.
    public var discardsSession: Bool
    public var refused: RefusalCounts
    /// Of those that waited, the ones the reply carries.
    public var deliveredCommands: [PushCommand]
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
    /// `nil`: no header.
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

    /// In the form of the API's errors.
    static func refusal(status: Int, _ code: CloseCode, _ reason: String) -> PushReply {
        var json = JSONWriter()
        json.object { object in
            object.integer("code", Int64(code.rawValue))
            object.string("reason", reason)
        }
        return PushReply(status: status, contentType: "application/json", body: json.bytes)
    }
}
