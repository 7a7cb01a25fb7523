public import SensorModel

/// A watch or phone that may send, with its owner's settings.
public struct Device: Hashable, Sendable {
    public var id: DeviceID
    /// Unique, ignoring case.
    public var name: String
    public var tokenHash: SecretHash
    public var sealedProofKey: [UInt8]
    public var createdAt: Timestamp
    public var revokedAt: Timestamp?
    public var lastSeenAt: Timestamp?
    public var profile: RunnerProfile
    /// Heart-rate zones that were in effect before those of the profile.
    public var zoneHistory = ZoneHistory()
    public var privacy: PrivacySettings

    public var isRevoked: Bool { revokedAt != nil }

    /// The profile with the zones that were in effect at a moment.
    public func profile(at time: Timestamp) -> RunnerProfile {
        var dated = profile
        dated.zoneSettings = zoneHistory.settings(at: time, current: profile.zoneSettings)
        return dated
    }
}
