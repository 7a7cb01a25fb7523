/// Why the daemon ends a connection: WebSocket close codes, and `code` in error lines on TCP.
public enum CloseCode: UInt16, CaseIterable, Sendable {
    case goingAway = 1001
    case restarting = 1012
    /// Nothing can be recorded now. As an error message it does not end the connection.
    case tryAgainLater = 1013
    case notAFrame = 4000
    case helloExpected = 4001
    case tokenRefused = 4003
    case unknownShare = 4004
    case tooSlow = 4008
    case replaced = 4009
    case shareEnded = 4010
    case messageTooLarge = 4013
    case tooManyRequests = 4029

    /// Whether the peer may reconnect, with increasing delays.
    public var mayReconnect: Bool {
        switch self {
        case .goingAway, .restarting, .tryAgainLater, .tooSlow, .tooManyRequests: true
        case .notAFrame, .helloExpected, .tokenRefused, .unknownShare, .replaced, .shareEnded,
            .messageTooLarge:
            false
        }
    }

    public var reason: String {
        switch self {
        case .goingAway: "going away"
        case .restarting: "restarting, come back"
        case .tryAgainLater: "nothing can be recorded now, come back later"
        case .notAFrame: "not a frame"
        case .helloExpected: "hello expected"
        case .tokenRefused: "token refused"
        case .unknownShare: "unknown share"
        case .tooSlow: "too slow, come back later"
        case .replaced: "replaced by a newer connection"
        case .shareEnded: "share revoked or expired"
        case .messageTooLarge: "message too large"
        case .tooManyRequests: "too many requests, come back later"
        }
    }
}
