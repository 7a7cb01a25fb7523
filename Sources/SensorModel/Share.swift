/// Permission to watch one device, or several as a group. Holds no secret: the share's ID is kept
/// as its hash.
public struct Share: Hashable, Sendable {
    public enum Target: Hashable, Sendable {
        case device(DeviceID)
        /// The shares that a group link shows side by side, each with its own scope and label.
        case group([ShareKey])
    }

    public var key: ShareKey
    /// What commands and listings call it; unique ignoring case.
    public var name: String
    public var idHash: SecretHash
    public var target: Target
    public var scope: Scope
    /// How long everything is held back, 0…``delaySecondsMax``.
    public var delaySeconds: Int
    /// `nil`: until revoked.
    public var expiresAt: Timestamp?
    /// At one time; `nil`: no limit of its own.
    public var maxViewers: Int?
    /// What viewers read; in a group, the runner's name.
    public var label: String?
    public var createdAt: Timestamp
    public var revokedAt: Timestamp?
    /// Another share of the device shows positions. `ShareDirectory` says so; it is not kept.
    public var isBesidePositions = false

    /// Whether the owner's zones and trims hold for it: it shows positions, or another share of the
    /// device does. What counts where positions are hidden must not count beside it, or who holds both
    /// links could subtract.
    public var obeysPrivacy: Bool { scope.contains(.location) || isBesidePositions }

    /// A day: what is held back lies in memory.
    public static let delaySecondsMax = 86_400

    /// The newest arrival that the delay lets through.
    ///
    /// - Parameter now: Arrival clock.
    /// - Returns: `nil` without a delay: everything is shown.
    public func shownArrivals(at now: Timestamp) -> Timestamp? {
        delaySeconds == 0 ? nil : now.advanced(byMicroseconds: -Int64(delaySeconds) * 1_000_000)
    }

    public init(
        key: ShareKey, name: String, idHash: SecretHash, target: Target, scope: Scope = .all,
        delaySeconds: Int = 0, expiresAt: Timestamp? = nil, maxViewers: Int? = nil,
        label: String? = nil, createdAt: Timestamp, revokedAt: Timestamp? = nil
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

    /// What a group's viewers read before this runner's values.
    public var runnerName: String { label ?? name }

    public func isActive(at time: Timestamp) -> Bool {
        if let revokedAt, revokedAt <= time { return false }
        if let expiresAt, expiresAt <= time { return false }
        return true
    }
}
