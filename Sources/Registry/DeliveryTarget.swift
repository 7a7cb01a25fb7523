public import SensorModel

/// Where a device's owner wants finished runs delivered. Its address and secret are sealed in the
/// registry: with them anybody could read or change the runs kept there.
public struct DeliveryTarget: Hashable, Sendable {
    public enum Kind: String, Codable, CaseIterable, Sendable {
        /// A POST of a form with the file.
        case webhook
        /// A folder of the daemon's machine, which its owner sets.
        case folder
        /// intervals.icu's upload.
        case intervals
        /// The upload of a FitTrackee server.
        case fittrackee
    }

    public static let perDeviceMax = 4
    /// Longest address, and longest secret, in UTF-8.
    public static let bytesMax = 1024

    /// Number in the registry, never given twice; 0 before it is stored.
    public var id: Int64 = 0
    /// 1 to 64 characters, unique ignoring case among the device's.
    public var name: String
    public var kind: Kind
    /// `https://host/path`; empty for a folder.
    public var address: String
    /// Key of a webhook's signature, or what the server asks for; `nil`: none.
    public var secret: String?
    /// FitTrackee's number of the sport.
    public var sport: Int
    /// Runs that ended before are not delivered by themselves.
    public var madeAt: Timestamp

    /// FitTrackee's number of running.
    public static let running = 5

    public init(
        name: String, kind: Kind, address: String, secret: String? = nil,
        sport: Int = running, madeAt: Timestamp
    ) {
        self.name = name
        self.kind = kind
        self.address = address
        self.secret = secret
        self.sport = sport
        self.madeAt = madeAt
    }

    /// Whether it has the name; upper and lower case are the same.
    public func isNamed(_ name: String) -> Bool { self.name.key == name.key }
}

/// A run on its way to a target, or that arrived there.
public struct Delivery: Hashable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        case waiting
        case delivered
        /// It is not tried again by itself.
        case failed
    }

    /// Seconds between two deliveries of a run to a target.
    public static let againSeconds = 60.0
    /// Deliveries to one target that wait: a dead target keeps out no other.
    public static let waitingMax = 25

    /// Number in the registry; never given twice.
    public var id: Int64
    public var target: Int64
    public var session: SessionID
    public var device: DeviceID
    public var state = State.waiting
    /// Tries that were begun.
    public var tries = 0
    public var changedAt: Timestamp
    /// Time of the next try.
    public var dueAt: Timestamp
    /// Frames of the session when it was delivered; `nil` before.
    public var frames: Int?
    /// Why the last try failed; `nil`: it did not.
    public var reason: String?

    public init(
        id: Int64, target: Int64, session: SessionID, device: DeviceID, changedAt: Timestamp,
        dueAt: Timestamp
    ) {
        self.id = id
        self.target = target
        self.session = session
        self.device = device
        self.changedAt = changedAt
        self.dueAt = dueAt
    }
}
