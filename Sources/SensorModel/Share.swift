/// Permission to watch one device, or several as a group. It holds no secret, only the hash of the
/// share's ID.
public struct Share: Hashable, Sendable {
    public enum Target: Hashable, Sendable {
        case device(DeviceID)
        /// The shares that a group link shows together, each with its own scope and label.
        case group([ShareKey])
    }

    public var key: ShareKey
    /// Name in commands and listings; unique ignoring case.
    public var name: String
    public var idHash: SecretHash
    public var target: Target
    public var scope: Scope
    /// Delay of everything shown, 0…``delaySecondsMax``.
    public var delaySeconds: Int
    /// `nil`: until revoked.
    public var expiresAt: Timestamp?
    /// Viewers at one time; `nil`: no limit of its own.
    public var maxViewers: Int?
    /// Label for viewers; in a group, the runner's name.
    public var label: String?
    /// The name by which everybody finds it, at `/@NAME`. Such a share shows only a session that
    /// still goes on.
    public var publicName: PublicName?
    /// Device whose owner made the group, which others join by themselves; `nil`: a device's share,
    /// or a group of the daemon's owner.
    public var groupOwner: DeviceID?
    public var createdAt: Timestamp
    public var revokedAt: Timestamp?
    /// Whether another share of the device shows positions. Set by `ShareDirectory`, not stored.
    public var isBesidePositions = false

    /// Whether the owner's zones and trims apply: this share or another one of the device shows
    /// positions. Distance that one link hides must not count in the other, or a holder of both
    /// links could subtract.
    public var hidesPlaces: Bool { scope.contains(.location) || isBesidePositions }

    /// One day: held updates are in memory.
    public static let delaySecondsMax = 86_400

    /// The newest arrival time that the delay allows to be shown.
    ///
    /// - Parameter now: Time of the arrival clock.
    /// - Returns: `nil` without a delay: everything is shown.
    public func shownArrivals(at now: Timestamp) -> Timestamp? {
        delaySeconds == 0 ? nil : now.advanced(byMicroseconds: -Int64(delaySeconds) * 1_000_000)
    }

    public init(
        key: ShareKey, name: String, idHash: SecretHash, target: Target, scope: Scope = .all,
        delaySeconds: Int = 0, expiresAt: Timestamp? = nil, maxViewers: Int? = nil,
        label: String? = nil, publicName: PublicName? = nil, groupOwner: DeviceID? = nil,
        createdAt: Timestamp, revokedAt: Timestamp? = nil
    ) {
        self.key = key
        self.name = name
        self.idHash = idHash
        self.target = target
        self.scope = scope
        self.delaySeconds = delaySeconds
        self.expiresAt = expiresAt
        self.maxViewers = maxViewers
        self.label = label
        self.publicName = publicName
        self.groupOwner = groupOwner
        self.createdAt = createdAt
        self.revokedAt = revokedAt
    }

    public var device: DeviceID? {
        guard case .device(let device) = target else { return nil }
        return device
    }

    public var members: [ShareKey] {
        guard case .group(let members) = target else { return [] }
        return members
    }

    /// Name that precedes this runner's values in a group.
    public var runnerName: String { label ?? name }

    public func isActive(at time: Timestamp) -> Bool {
        if let revokedAt, revokedAt <= time { return false }
        if let expiresAt, expiresAt <= time { return false }
        return true
    }
}
