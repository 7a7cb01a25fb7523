public import SensorModel

/// Decides who may watch. The daemon implements it; loops call it, so it must return at once.
///
/// What a subscription brings comes back as ``OutboundMessage`` over the link of the request's
/// loop, in this order: ``OutboundMessage/feedsBegin(_:_:_:)``, catch-up events, the feed.
public protocol ViewerGate: Sendable {
    /// - Parameters:
    ///   - share: As it stood in the path; not necessarily the text of any share.
    ///   - peer: Whose failures are counted.
    /// - Returns: What it leads to, or why it leads nowhere.
    func resolve(share: String, peer: PeerAddress) -> Result<ResolvedShare, ViewerRefusal>
    func subscribe(_ request: SubscriptionRequest)
    /// Called once for each ``subscribe(_:)``, also after the daemon itself closed the subscriber.
    func unsubscribe(_ subscriber: SubscriberID, from key: ShareKey)
    /// A text message of a WebSocket viewer: `{"seek":…}`, `{"pause":true}`, `{"live":true}`.
    /// At most 1 KiB; not checked otherwise.
    /// - Returns: Why nothing comes of it; the viewer is told.
    func viewerSaid(
        _ subscriber: SubscriberID, watching key: ShareKey, _ text: [UInt8]
    ) -> ViewerCommandRefusal?
    /// The socket has taken all of ``OutboundMessage/catchUp(_:_:)``: the next part may come. To
    /// send on without waiting for it is to be closed (4008) by a slow viewer's queue.
    func readyForMore(_ subscriber: SubscriberID, watching key: ShareKey)
}

public struct ResolvedShare: Sendable {
    public var key: ShareKey

    public init(key: ShareKey) {
        self.key = key
    }
}

public enum ViewerRefusal: Error, Hashable, Sendable {
    /// Unknown, revoked or expired: 404, the router's ``Router/notFound`` answer.
    case unknown
    /// Too many failures, or as many viewers as the share may have: 429.
    case tooMany(retryAfterSeconds: Int)
}

public struct SubscriptionRequest: Sendable {
    public enum Kind: Sendable {
        case webSocket
        case eventStream
    }

    public var key: ShareKey
    public var subscriber: SubscriberID
    /// Index of the ``LoopLink`` that the answers take.
    public var loop: Int
    public var kind: Kind
    /// `nil`: a first connection. A cursor that cannot be read is ``Resume/lost``.
    public var resume: Resume?
    /// Start from the recording at that device time.
    public var at: Timestamp?
    /// Of the recording; 1 is as it was.
    public var speed: Double
    public var peer: PeerAddress

    public enum Resume: Hashable, Sendable {
        case after(LogCursor)
        case lost
    }
}

/// Why what a viewer says has no effect.
public enum ViewerCommandRefusal: Hashable, Sendable {
    case notACommand
    /// As many recordings are played as may be.
    case tooMany

    var json: String {
        switch self {
        case .notACommand:
            #"{"type":"error","code":4000,"reason":"this is no playback command"}"#
        case .tooMany:
            #"{"type":"error","code":4029,"reason":"too many recordings are played now"}"#
        }
    }
}
