public import SensorModel

/// The proofs that were used, so that an intercepted proof is worthless.
///
/// An accepted proof must be on disk before the device is welcomed. The registry keeps the same
/// list and restores it after a restart.
public struct ProofMemory: Sendable {
    public enum Verdict: Hashable, Sendable {
        /// Store the proof, then welcome the device.
        case accepted
        case outsideWindow
        case seenBefore
        /// The device has used more proofs in a quarter of an hour than any device needs.
        case tooMany
    }

    /// Seconds for which a proof is remembered beyond its window. A clock set back by at most that
    /// much makes no proof valid again.
    public static let keptSeconds = ProofKey.windowSeconds + 600
    private static let perDeviceMax = 1024

    private var sentAt: [DeviceID: [SecretHash: Timestamp]] = [:]

    public init() {}

    public var count: Int { sentAt.values.reduce(0) { $0 + $1.count } }

    /// Adds a proof that was used before a restart.
    public mutating func restore(_ proof: SecretHash, of device: DeviceID, sentAt time: Timestamp) {
        sentAt[device, default: [:]][proof] = time
    }

    /// - Parameters:
    ///   - proof: From ``ProofKey/verify(_:session:sentAt:)``, so it is the device's own.
    ///   - device: The device that owns the key.
    ///   - time: `sentAt` of the hello.
    ///   - now: The daemon's clock.
    /// - Returns: The verdict; only accepted proofs are remembered.
    public mutating func use(
        _ proof: SecretHash, of device: DeviceID, sentAt time: Timestamp, at now: Timestamp
    ) -> Verdict {
        guard abs(now.seconds(since: time)) <= ProofKey.windowSeconds else {
            return .outsideWindow
        }
        var used = sentAt[device] ?? [:]
        guard used[proof] == nil else { return .seenBefore }
        if used.count >= Self.perDeviceMax {
            used = used.filter { now.seconds(since: $0.value) <= Self.keptSeconds }
        }
        guard used.count < Self.perDeviceMax else { return .tooMany }
        used[proof] = time
        sentAt[device] = used
        return .accepted
    }

    public mutating func forget(_ device: DeviceID) {
        sentAt[device] = nil
    }
}
