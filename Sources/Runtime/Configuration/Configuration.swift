import SensorModel

/// All settings of the owner, in the form that the stages use.
///
/// One entry of ``ConfigurationSchema`` fills each property. The schema holds its key, unit,
/// default, allowed values and meaning; the example file and `check-config --print` are made from
/// it.
public struct Configuration: Hashable, Sendable {
    public struct Listener: Hashable, Sendable {
        public var host = "127.0.0.1"
        /// Port; 0: any free port.
        public var port = 0
        public var tls = false
    }

    public struct HTTP: Hashable, Sendable {
        /// Prefix of links; empty: `http://host:port`.
        public var publicURL = ""
        public var trustedProxies: [String] = []
        /// Origins from which a browser may open WebSockets; empty: only the daemon's own.
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
        /// Seconds for which sessions are kept; `nil`: forever.
        public var retentionSeconds: Double?
        public var retentionBytes: Int?
        public var reserveBytes = 16 << 20
    }

    public struct Ingest: Hashable, Sendable {
        public var ringBytes = 256 << 10
        public var holdSeconds: Double = 2
        public var holdFramesMax = 1000
        /// A session without frames for this long has ended; a later frame reopens it.
        public var silenceSeconds: Double = 600
        public var helloSeconds: Double = 5
        public var framesPerSecondMax = 20_000
        public var sessionsPerDeviceMax = 8
        public var sessionsRecordedMax = 64_000
        public var deviceMebibytesPerDay = 2048
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

    public struct Alerts: Hashable, Sendable {
        public var trustedHosts: [String] = []
    }

    public struct Deliveries: Hashable, Sendable {
        public var folder = ""
    }

    public struct MQTT: Hashable, Sendable {
        /// Host of the broker; empty: none is connected to.
        public var host = ""
        public var port = 1883
        public var authoritiesFile = ""
        public var user = ""
        public var passwordFile = ""
        public var prefix = "pulsecast"
        public var discoveryPrefix = "homeassistant"
        /// Names of the shares that are published, as commands take them.
        public var shares: [String] = []
        /// Devices that may have their alerts published.
        public var alerts: [String] = []
        /// `TOPIC=DEVICE`: where the positions of a device come from.
        public var ownTracks: [String] = []
    }

    public struct Cluster: Hashable, Sendable {
        /// Servers of NATS, as `nats://host:port` or `tls://host:port`; empty: no cluster.
        public var urls: [String] = []
        /// Name of the stream.
        public var name = "pulsecast"
        /// Name of this node; empty only without a cluster.
        public var node = ""
        /// Servers that keep the stream.
        public var replicas = 3
        /// Size of the stream.
        public var streamBytes = 1024 << 20
        /// Seconds for which the stream keeps changes.
        public var streamSeconds = 3600
        public var authoritiesFile = ""
        public var user = ""
        public var passwordFile = ""
    }

    public var stateDirectory = ""
    public var eventLoops = Self.eventLoops(processors: Processors.count)
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
    public var alerts = Alerts()
    public var deliveries = Deliveries()
    public var mqtt = MQTT()
    public var cluster = Cluster()

    /// Event loops where the owner names no number. One processor is left to the pipeline, the log
    /// and readers, which an attack on the loops would take as well.
    ///
    /// - Parameter processors: Processors that the process may use.
    /// - Returns: 1…``eventLoopsByDefaultMax``.
    static func eventLoops(processors: Int) -> Int {
        min(max(1, processors - 1), eventLoopsByDefaultMax)
    }

    /// As many carry four times the connections that there are by default.
    static let eventLoopsByDefaultMax = 4

    public init() {
        device.port = 7420
        httpListener.port = 7480
        operations.port = 7490
    }
}
