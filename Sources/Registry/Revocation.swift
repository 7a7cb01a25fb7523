public import SensorModel

/// The end of a share or of a device's token.
public struct Revocation: Hashable, Sendable {
    public enum Target: Hashable, Sendable {
        case share(ShareKey)
        case device(DeviceID)
    }

    /// Where the revocation is kept.
    public enum Kept: Hashable, Sendable {
        /// In the registry.
        case stored
        /// In a file beside the registry, until the registry can be written. It survives restarts.
        case noted
        /// Only in memory: a restart before the registry can be written loses it.
        case inMemory(DiskTrouble)
        /// On this node of a cluster, and maybe not on the others: a takeover may lose it.
        case onThisNode
    }

    public var target: Target
    /// Hash of the share's ID or of the device's token. A secret made since is not revoked.
    public var hash: SecretHash
    public var time: Timestamp

    init(target: Target, hash: SecretHash, time: Timestamp) {
        self.target = target
        self.hash = hash
        self.time = time
    }

    public init(of share: Share, at time: Timestamp) {
        self.init(target: .share(share.key), hash: share.idHash, time: time)
    }

    public init(of device: Device, at time: Timestamp) {
        self.init(target: .device(device.id), hash: device.tokenHash, time: time)
    }
}
