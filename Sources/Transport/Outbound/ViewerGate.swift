public import SensorModel

/// Decides which viewers may subscribe; the daemon implements it, and loops call it, so it must
/// not block.
///
/// The answers to a subscription arrive as ``OutboundMessage`` over the link of the request's loop,
/// in this order: ``OutboundMessage/feedsBegin(_:_:_:)``, catch-up events, the feed.
public protocol ViewerGate: Sendable {
    /// - Parameters:
    ///   - share: The text in the path; not necessarily a valid share.
    ///   - peer: The address whose failures are counted.
    /// - Returns: The share or group, or the reason why there is none.
    func resolve(share: String, peer: PeerAddress) -> Result<ResolvedShare, ViewerRefusal>
    func subscribe(_ request: SubscriptionRequest)
    /// Called once for each ``subscribe(_:)``, also after the daemon itself closed the subscriber.
    func unsubscribe(_ subscriber: SubscriberID, from key: ShareKey)
    /// Handles a text message of a WebSocket viewer: `{"seek":…}`, `{"pause":true}`,
    /// `{"live":true}`. At most 1 KiB; not checked otherwise.
    /// - Returns: The refusal, which the viewer receives; `nil` if the command was accepted.
    func viewerSaid(
        _ subscriber: SubscriberID, watching key: ShareKey, _ text: [UInt8]
    ) -> ViewerCommandRefusal?
    /// Requests the next part of history, after the socket has taken all of the last
    /// ``OutboundMessage/catchUp(_:_:)``. Without this back-pressure a slow viewer's queue would
    /// fill, which closes it (4008).
    func readyForMore(_ subscriber: SubscriberID, watching key: ShareKey)
}

public struct ResolvedShare: Sendable {
    public var key: ShareKey
    /// Hash of the ID by which the share was found; a rotation changes the ID but not the key.
    public var idHash: SecretHash

    public init(key: ShareKey, idHash: SecretHash) {
        self.key = key
        self.idHash = idHash
    }
}

public enum ViewerRefusal: Error, Hashable, Sendable {
    /// Unknown, revoked or expired: 404, the router's ``Router/notFound`` answer.
    case unknown
    /// Too many failures, or the share's maximum of viewers is reached: 429.
    case tooMany(retryAfterSeconds: Int)
}

public struct SubscriptionRequest: Sendable {
    public enum Kind: Sendable {
        case webSocket
        case eventStream
    }

    public var share: ResolvedShare
    public var subscriber: SubscriberID
    /// Index of the ``LoopLink`` for the answers.
    public var loop: Int
    public var kind: Kind
    /// `nil`: a first connection. An unreadable cursor is ``Resume/lost``.
    public var resume: Resume?
    /// Device time in the recording to start from.
    public var at: Timestamp?
    /// Speed of the playback; 1 is the original speed.
    public var speed: Double
    public var peer: PeerAddress

    public var key: ShareKey { share.key }

    public enum Resume: Hashable, Sendable {
        case after(LogCursor)
        case lost
    }
}

/// The reasons why a viewer's command has no effect.
public enum ViewerCommandRefusal: Hashable, Sendable {
    case notACommand
    /// The maximum number of playbacks is reached.
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
