public import SensorModel

/// Somebody whom a device's owner wants told of alerts. Its address and secret are sealed in the
/// registry: who knows the topic of a push service can read along.
public struct Receiver: Hashable, Sendable {
    public enum Kind: String, Codable, CaseIterable, Sendable {
        /// A POST of JSON.
        case webhook
        /// A topic of an ntfy server.
        case ntfy
        /// Topics of the daemon's own MQTT broker, which its owner allows a device.
        case mqtt
    }

    public static let perDeviceMax = 4
    /// Longest address, and longest secret, in UTF-8.
    public static let bytesMax = 512
    /// Minutes of silence that can be asked for.
    public static let silentMinutes = 3...240

    /// 1 to 64 characters, unique ignoring case among the device's.
    public var name: String
    public var kind: Kind
    /// `https://host/path`; for ntfy the path is the topic. Empty for MQTT.
    public var address: String
    /// Key of a webhook's signature, or access token of the ntfy server; `nil`: none, as for MQTT.
    public var secret: String?
    /// Minutes without frames after which the receiver is told; `nil`: never.
    public var silentMinutes: Int?
    /// Whether it is told of everything, also while the runner is hidden: it learns when the runner
    /// came home.
    public var isTrusted: Bool
    /// The share that says what receivers may see. Its link is a new one for each alert.
    public var share: ShareKey

    public init(
        name: String, kind: Kind, address: String, secret: String? = nil,
        silentMinutes: Int? = nil, isTrusted: Bool = false, share: ShareKey
    ) {
        self.name = name
        self.kind = kind
        self.address = address
        self.secret = secret
        self.silentMinutes = silentMinutes
        self.isTrusted = isTrusted
        self.share = share
    }

    /// Whether it has the name; upper and lower case are the same.
    public func isNamed(_ name: String) -> Bool { self.name.key == name.key }
}

/// An alert that receivers are told of, as it is kept for a restart.
public struct OpenAlert: Hashable, Sendable {
    public var session: SessionID
    public var device: DeviceID
    /// Its kind, as in messages.
    public var topic: String
    /// Device time.
    public var since: Timestamp
    public var raisedAt: Timestamp
    /// What the kind does not say, such as a checkpoint.
    public var detail: String?
    /// The sealed secret of its confirmations.
    public var sealedSecret: [UInt8]

    /// Receiver that confirmed it; `nil`: none has.
    public var confirmedBy: String?

    public init(
        session: SessionID, device: DeviceID, topic: String, since: Timestamp,
        raisedAt: Timestamp, detail: String?, sealedSecret: [UInt8],
        confirmedBy: String?
    ) {
        self.session = session
        self.device = device
        self.topic = topic
        self.since = since
        self.raisedAt = raisedAt
        self.detail = detail
        self.sealedSecret = sealedSecret
        self.confirmedBy = confirmedBy
    }
}
