public import SensorModel

/// The issued short codes that were not used yet.
public struct ShortCodes: Sendable {
    public static let defaultLifetimeSeconds = 600
    /// Longest lifetime: a spoken code is needed for minutes, not for days.
    public static let lifetimeSecondsMax = 86_400
    /// Maximum number of codes at once: a guess hits one with a probability of one in a million.
    public static let codesMax = 800

    private struct Promise: Sendable {
        let share: ShareKey
        let expiresAt: Timestamp
    }

    private var promises: [ShortCode: Promise] = [:]
    private static let collisionsMax = 20

    public init() {}

    /// Number of issued codes. Expired ones count until the next issue.
    public var count: Int { promises.count }

    /// - Parameters:
    ///   - share: The share that the code gives access to, once.
    ///   - now: Time of the arrival clock.
    ///   - lifetimeSeconds: Lifetime, 1…``lifetimeSecondsMax``.
    ///   - generator: The system's generator; tests pass their own.
    /// - Returns: The code; `nil` if too many are issued.
    public mutating func issue(
        for share: ShareKey, at now: Timestamp, lifetimeSeconds: Int = defaultLifetimeSeconds,
        using generator: inout some RandomNumberGenerator
    ) -> (code: ShortCode, expiresAt: Timestamp)? {
        promises = promises.filter { $0.value.expiresAt > now }
        guard promises.count < Self.codesMax else { return nil }
        let lifetime = min(max(lifetimeSeconds, 1), Self.lifetimeSecondsMax)
        let expiresAt = now.advanced(byMicroseconds: Int64(lifetime) * 1_000_000)
        for _ in 0..<Self.collisionsMax {
            let code = ShortCode(using: &generator)
            guard promises[code] == nil else { continue }
            promises[code] = Promise(share: share, expiresAt: expiresAt)
            return (code, expiresAt)
        }
        return nil
    }

    /// Whether the code is issued and unused. An expired one counts until the next issue.
    public func isOut(_ code: ShortCode) -> Bool { promises[code] != nil }

    /// - Returns: The share, once; `nil` for an unknown, used or expired code.
    public mutating func redeem(_ code: ShortCode, at now: Timestamp) -> ShareKey? {
        guard let promise = promises.removeValue(forKey: code), promise.expiresAt > now else {
            return nil
        }
        return promise.share
    }

    /// Removes the codes of a share that was revoked or has a new ID.
    public mutating func withdraw(_ share: ShareKey) {
        promises = promises.filter { $0.value.share != share }
    }

    /// Adds a code issued before a restart.
    public mutating func restore(_ code: ShortCode, for share: ShareKey, until expiresAt: Timestamp)
    {
        promises[code] = Promise(share: share, expiresAt: expiresAt)
    }
}
