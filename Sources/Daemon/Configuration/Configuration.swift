import SensorModel

/// Everything the owner can set, in the shape the stages take it.
///
/// One entry of ``ConfigurationSchema`` fills each property: the schema has its key, unit, default,
/// allowed values and meaning, and is what the example file and `check-config --print` show.
public struct Configuration: Hashable, Sendable {
    public struct Listener: Hashable, Sendable {
        public var host = "127.0.0.1"
        /// 0: any free port.
        public var port = 0
        public var tls = false
    }

    public struct HTTP: Hashable, Sendable {
        /// What links begin with; empty: `http://host:port`.
        public var publicURL = ""
        public var trustedProxies: [String] = []
        /// Origins a browser may open WebSockets from; empty: the daemon's own and no other.
        public var allowedOrigins: [String] = []
        public var frameAncestors = "*"
        public var tileURL = ""
        public var tileAttribution = ""
        public var echo = false
    }

    public struct Log: Hashable, Sendable {
        public enum Durability: String, CaseIterable, Sendable {
            case always, interval, os
        }

        public var durability: Durability = .always
        public var intervalMilliseconds = 1000
        public var segmentBytesMax = 64 << 20
        /// `nil`: kept for ever.
        public var retentionSeconds: Double?
        public var retentionBytes: Int?
        public var reserveBytes = 16 << 20
    }

    public struct Ingest: Hashable, Sendable {
        public var ringBytes = 256 << 10
        public var holdSeconds: Double = 2
        public var holdFramesMax = 1000
        /// A session nobody sent to for so long has ended; a frame reopens it.
        public var silenceSeconds: Double = 600
        public var helloSeconds: Double = 5
        public var framesPerSecondMax = 20_000
        public var sessionsPerDeviceMax = 8
    }

    public struct ConnectionBounds: Hashable, Sendable {
        public var connectionsMax = 10_000
        public var unauthenticatedMax = 256
        public var perAddressMax = 64
        public var headerBytesMax = Limits.httpHeaderBytesMax
        public var bodyBytesMax = Limits.httpBodyBytesMax
        public var messageBytesMax = Limits.webSocketMessageBytesMax
        public var lineBytesMax = Limits.textLineBytesMax
        public var handshakeSeconds: Double = 10
        public var viewersPerShareMax = 10_000
        public var sharesPerDeviceMax = 64
        public var idleSeconds: Double = 75
        public var failuresPerMinuteMax = 10
    }

    public struct Webhook: Hashable, Sendable {
        public var url = ""
        public var secretFile = ""
    }

    public var stateDirectory = ""
    public var eventLoops = 1
    public var device = Listener()
    public var httpListener = Listener()
    public var operations = Listener()
    public var adminSocket = ""
    public var http = HTTP()
    public var certificateFile = ""
    public var privateKeyFile = ""
    public var masterKeyFile = ""
    public var log = Log()
    public var ingest = Ingest()
    public var bounds = ConnectionBounds()
    public var subscriberBytesMax = Limits.subscriberBytesMax
    public var logLevel = "info"
    public var webhook = Webhook()

    public init() {
        device.port = 7420
        httpListener.port = 7480
        operations.port = 7490
    }
}
