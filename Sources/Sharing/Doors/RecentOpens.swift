public import SensorModel

/// Which address looked at which share lately, so that a visit is one entry of the audit however
/// often a page asks.
public struct RecentOpens: Sendable {
    private struct Visit: Hashable, Sendable {
        let share: ShareKey
        let address: AddressKey
    }

    /// A visit is over after so long without a look.
    public static let visitMicroseconds: Int64 = 600_000_000
    private static let visitsMax = 16_384

    private var lastLooks: [Visit: Timestamp] = [:]

    public init() {}

    /// - Returns: Whether the look begins a visit.
    public mutating func begins(
        _ share: ShareKey, from address: AddressKey, at now: Timestamp
    ) -> Bool {
        let visit = Visit(share: share, address: address)
        let last = lastLooks.updateValue(now, forKey: visit)
        if lastLooks.count > Self.visitsMax { forget(at: now) }
        guard let last else { return true }
        return now.microseconds - last.microseconds > Self.visitMicroseconds
    }

    /// Old visits go; when all are young, all do: then some are told twice.
    private mutating func forget(at now: Timestamp) {
        lastLooks = lastLooks.filter {
            now.microseconds - $0.value.microseconds <= Self.visitMicroseconds
        }
        if lastLooks.count > Self.visitsMax { lastLooks = [:] }
    }
}
