public import SensorModel

/// Recent requests by address and share. A visit becomes one entry of the audit, however many
/// requests a page sends.
public struct RecentVisits: Sendable {
    private struct Visit: Hashable, Sendable {
        let share: ShareKey
        let address: AddressKey
    }

    /// Time without a request that ends a visit.
    public static let visitMicroseconds: Int64 = 600_000_000
    private static let visitsMax = 16_384

    private var lastLooks: [Visit: Timestamp] = [:]

    public init() {}

    /// - Returns: Whether the request begins a visit.
    public mutating func begins(
        _ share: ShareKey, from address: AddressKey, at now: Timestamp
    ) -> Bool {
        let visit = Visit(share: share, address: address)
        let last = lastLooks.updateValue(now, forKey: visit)
        if lastLooks.count > Self.visitsMax { forget(at: now) }
        guard let last else { return true }
        return now.microseconds - last.microseconds > Self.visitMicroseconds
    }

    /// Drops old visits. If all are recent it drops all, and some are then logged twice.
    private mutating func forget(at now: Timestamp) {
        lastLooks = lastLooks.filter {
            now.microseconds - $0.value.microseconds <= Self.visitMicroseconds
        }
        if lastLooks.count > Self.visitsMax { lastLooks = [:] }
    }
}
