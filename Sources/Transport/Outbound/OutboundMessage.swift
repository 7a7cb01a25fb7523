public import SensorModel
public import Sharing

/// A message from the pipeline to a loop.
///
/// Messages for a connection or a subscriber that no longer exists are dropped.
public enum OutboundMessage: Sendable {
    case welcome(ConnectionID, DeviceWelcome)
    /// Everything accepted up to that number is on disk; if not `durable`: in memory only.
    case ack(ConnectionID, FrameSequence, durable: Bool)
    /// An error line; the connection stays open.
    case refusal(ConnectionID, code: UInt16, reason: String)
    /// A JSON object for the device, such as `{"command":"stop"}`.
    case command(ConnectionID, json: [UInt8])
    case close(ConnectionID, CloseCode)
    /// The answer to ``InboundMessage/finished(_:arrival:)``: no ack is pending any more.
    case finished(ConnectionID)

    /// An update for a feed; it is written to the feed's viewers.
    case feed(FeedKey, FeedUpdate)
    /// The feeds of a subscriber and its first message: one feed, or those of a group's members. A
    /// feed without subscribers on this loop is opened with the snapshot, so every ``feed(_:_:)``
    /// after the snapshot's cursor must follow.
    case feedsBegin(SubscriberID, [FeedOpening], SubscriptionStart)
    /// Events for one subscriber, written unchanged and in order.
    case catchUp(SubscriberID, [EncodedEvent])
    /// Catch-up is over: the subscriber continues with the updates that its feeds have received
    /// since.
    case caughtUp(SubscriberID)
    /// The share, or a group's member, was revoked, has expired or was deleted: its viewers are
    /// closed.
    case feedEnded(FeedKey, CloseCode)
    case closeSubscriber(SubscriberID, CloseCode)
}

public struct DeviceWelcome: Sendable {
    public var session: SessionID
    /// The number after which the device continues; ``FrameSequence/none`` for a session without a
    /// durable frame.
    public var acked: FrameSequence
    /// Text of a share of the device, if the owner wants the watch to show one.
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

/// One share's state, for a loop that may not have the share yet.
public struct FeedOpening: Sendable {
    public var key: FeedKey
    /// The runner's name, which a group's viewers see before the values.
    public var runnerName: String
    public var snapshot: FeedSnapshot

    public init(key: FeedKey, runnerName: String, snapshot: FeedSnapshot) {
        self.key = key
        self.runnerName = runnerName
        self.snapshot = snapshot
    }
}

/// The beginning of a subscriber's stream.
public struct SubscriptionStart: Sendable {
    /// The cursor that the subscriber resumed with; `nil` on a first connection.
    public var resumedAt: LogCursor?
    /// Events before the snapshot: the `gap` for a cursor that is not available.
    public var preface: [EncodedEvent]
    /// Whether history follows as ``OutboundMessage/catchUp(_:_:)``. The feed then waits for
    /// ``OutboundMessage/caughtUp(_:)``.
    public var catchingUp: Bool
    /// Whether values carry the runner's name.
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

/// One encoded JSON object.
public struct EncodedEvent: Hashable, Sendable {
    public var cursor: LogCursor
    public var json: [UInt8]

    public init(cursor: LogCursor, json: [UInt8]) {
        self.cursor = cursor
        self.json = json
    }
}
