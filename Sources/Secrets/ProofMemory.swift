public import SensorModel

/// Which proofs were used, so that one that was overheard is worth nothing.
///
/// What it accepts must be on disk before the device is welcomed: the registry keeps the same list
/// and gives it back after a restart.
public struct ProofMemory: Sendable {
    public enum Verdict: Hashable, Sendable {
        /// Store it, then welcome the device.
        case accepted
        case outsideWindow
        case seenBefore
        /// The device has used more proofs in a quarter of an hour than any device needs.
        case tooMany
    }

    /// Seconds a proof is remembered beyond its window: a clock set back by that much brings none
    /// back to life.
    public static let keptSeconds = ProofKey.windowSeconds + 600
    private static let perDeviceMax = 1024

    private var sentAt: [DeviceID: [SecretHash: Timestamp]] = [:]

    public init() {}

    public var count: Int { sentAt.values.reduce(0) { $0 + $1.count } }

    /// A proof used before a restart.
    public mutating func restore(_ proof: SecretHash, of device: DeviceID, sentAt time: Timestamp) {
        sentAt[device, default: [:]][proof] = time
    }

    /// - Parameters:
    ///   - proof: From ``ProofKey/verify(_:session:sentAt:)``, so it is the device's own.
    ///   - device: Whose key it was.
    ///   - time: Of the hello.
    ///   - now: The daemon's clock.
    /// - Returns: Whether it counts; only accepted ones are remembered.
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
