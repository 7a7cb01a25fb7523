public import SensorModel

/// Viewers of each share, now and in total, and the limits on new ones.
public struct ViewerCounts: Sendable {
    private var now: [ShareKey: Int] = [:]
    private var ever: [ShareKey: Int] = [:]
    private let perShareMax: Int

    /// - Parameter perShareMax: Upper limit for every share, and the limit of shares without one.
    public init(perShareMax: Int) {
        self.perShareMax = perShareMax
    }

    /// - Returns: `false` if the share is at its limit; nothing is counted.
    public mutating func admit(to share: Share) -> Bool {
        guard hasRoom(share) else { return false }
        now[share.key, default: 0] += 1
        ever[share.key, default: 0] += 1
        return true
    }

    /// Whether the share is below its limit.
    public func hasRoom(_ share: Share) -> Bool {
        watching(share.key) < min(share.maxViewers ?? perShareMax, perShareMax)
    }

    public mutating func left(_ share: ShareKey) {
        guard let count = now[share], count > 1 else {
            now[share] = nil
            return
        }
        now[share] = count - 1
    }

    public func watching(_ share: ShareKey) -> Int { now[share] ?? 0 }

    public func watchedEver(_ share: ShareKey) -> Int { ever[share] ?? 0 }

    /// Restores a count from before a restart.
    public mutating func restore(_ share: ShareKey, ever count: Int) {
        ever[share, default: 0] += count
    }

    public mutating func forget(_ share: ShareKey) {
        now[share] = nil
        ever[share] = nil
    }
}
