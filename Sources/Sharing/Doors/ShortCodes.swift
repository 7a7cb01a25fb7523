public import SensorModel

/// The short codes that wait to be typed.
public struct ShortCodes: Sendable {
    public static let defaultLifetimeSeconds = 600
    /// A spoken code lives for minutes, not for days.
    public static let lifetimeSecondsMax = 86_400
    /// Fewer codes at once, fewer to hit by guessing: one in a million with all of them out.
    public static let codesMax = 800

    private struct Promise: Sendable {
        let share: ShareKey
        let expiresAt: Timestamp
    }

    private var promises: [ShortCode: Promise] = [:]
    private static let collisionsMax = 20

    public init() {}

    /// Codes that are out, expired ones among them until the next is issued.
    public var count: Int { promises.count }

    /// - Parameters:
    ///   - share: What the code is exchanged for, once.
    ///   - now: Arrival clock.
    ///   - lifetimeSeconds: 1…``lifetimeSecondsMax``.
    ///   - generator: Of the system; of the test in tests.
    /// - Returns: `nil` when too many codes are out.
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

    /// - Returns: The share, this once; `nil` for a code unknown, used or expired.
    public mutating func redeem(_ code: ShortCode, at now: Timestamp) -> ShareKey? {
        guard let promise = promises.removeValue(forKey: code), promise.expiresAt > now else {
            return nil
        }
        return promise.share
    }

    /// Of a share that was revoked or has a new ID.
    public mutating func withdraw(_ share: ShareKey) {
        promises = promises.filter { $0.value.share != share }
    }

    /// A code that was out before a restart.
    public mutating func restore(_ code: ShortCode, for share: ShareKey, until expiresAt: Timestamp)
    {
        promises[code] = Promise(share: share, expiresAt: expiresAt)
    }
}
