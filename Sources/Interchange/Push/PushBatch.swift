public import SensorModel

/// What one request of another application's holds, and what to answer it.
public struct PushBatch: Sendable {
    /// In order of time; none has a sequence.
    public var frames: [Frame]
    /// The format's own identity of the recording; requests with another one are another session.
    public var sessionHint: String?
    /// The application says that the recording is over.
    public var endsSession: Bool
    /// The application throws the recording away.
    public var discardsSession: Bool
    public var refused: RefusalCounts
    public var reply: PushReply

    public init(reply: PushReply) {
        frames = []
        sessionHint = nil
        endsSession = false
        discardsSession = false
        refused = RefusalCounts()
        self.reply = reply
    }
}

public struct PushReply: Hashable, Sendable {
    public var status: Int
    /// `nil`: no header.
    public var contentType: String?
    public var body: [UInt8]

    public init(status: Int, contentType: String?, body: String) {
        self.status = status
        self.contentType = contentType
        self.body = Array(body.utf8)
    }
}
