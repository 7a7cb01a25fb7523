public import SensorModel
public import Sharing

/// What the pipeline tells a loop.
///
/// Messages for a connection or a subscriber that is already gone are dropped.
public enum OutboundMessage: Sendable {
    case welcome(ConnectionID, DeviceWelcome)
    /// Everything accepted up to that number is on disk; not `durable`: in memory only.
    case ack(ConnectionID, FrameSequence, durable: Bool)
    /// An error line; the connection stays open.
    case refusal(ConnectionID, code: UInt16, reason: String)
    /// A JSON object for the device, as `{"command":"stop"}`.
    case command(ConnectionID, json: [UInt8])
    case close(ConnectionID, CloseCode)
    /// The answer to ``InboundMessage/finished(_:arrival:)``: no ack is owed any more.
    case finished(ConnectionID)

    /// Applied to the feed; whoever watches it is written to.
    case feed(FeedKey, FeedUpdate)
    /// What the subscriber watches from here on, and its first message: one feed, or those of a
    /// group's members. A feed that has no subscribers on this loop yet is opened with the
    /// snapshot, so every ``feed(_:_:)`` after the snapshot's cursor must follow.
    case feedsBegin(SubscriberID, [FeedOpening], SubscriptionStart)
    /// Events for one subscriber, written as they are, in order.
    case catchUp(SubscriberID, [EncodedEvent])
    /// Catch-up is over: the subscriber goes on with what its feeds have gained since.
    case caughtUp(SubscriberID)
    /// The share, or a group's member, was revoked, has expired or was deleted: who watches it is
    /// closed.
    case feedEnded(FeedKey, CloseCode)
    case closeSubscriber(SubscriberID, CloseCode)
}

public struct DeviceWelcome: Sendable {
    public var session: SessionID
    /// Where the device goes on; ``FrameSequence/none`` for a session without a durable frame.
    public var acked: FrameSequence
    /// The text of a share of the device's, where the owner wants the watch to show one.
    public var share: String?
    public var serverTime: Timestamp

    public init(
        session: SessionID, acked: FrameSequence, share: String?, serverTime: Timestamp
    ) {
        self.session = session
        self.acked = acked
        self.share = share
        self.serverTime = serverTime
    }
}

/// One share's state, for a loop that may not know the share yet.
public struct FeedOpening: Sendable {
    public var key: FeedKey
    /// What a group's viewers read before its values.
    public var runnerName: String
    public var snapshot: FeedSnapshot

    public init(key: FeedKey, runnerName: String, snapshot: FeedSnapshot) {
        self.key = key
        self.runnerName = runnerName
        self.snapshot = snapshot
    }
}

/// How a subscriber's stream begins.
public struct SubscriptionStart: Sendable {
    /// The cursor it came back with; `nil` on a first connection.
    public var resumedAt: LogCursor?
    /// Written before the snapshot: the `gap` of a cursor that is gone.
    public var preface: [EncodedEvent]
    /// History follows as ``OutboundMessage/catchUp(_:_:)``; the feed waits for
    /// ``OutboundMessage/caughtUp(_:)``.
    public var catchingUp: Bool
    /// Its values carry the runner's name.
    public var inGroup: Bool

    public init(
        resumedAt: LogCursor? = nil, preface: [EncodedEvent] = [], catchingUp: Bool = false,
        inGroup: Bool = false
    ) {
        self.resumedAt = resumedAt
        self.preface = preface
        self.catchingUp = catchingUp
        self.inGroup = inGroup
    }
}

/// One JSON object, ready to be sent.
public struct EncodedEvent: Hashable, Sendable {
    public var cursor: LogCursor
    public var json: [UInt8]

    public init(cursor: LogCursor, json: [UInt8]) {
        self.cursor = cursor
        self.json = json
    }
}
