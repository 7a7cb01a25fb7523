import SensorModel

/// The times of the last actions of each key within a window, in bounded memory.
///
/// It has two generations of a table. When the younger is a window old, nothing in the older counts
/// any more and the older is dropped. When the younger is full, the older is dropped early.
struct SlidingWindow<Key: Hashable & Sendable>: Sendable {
    let countMax: Int
    private let windowMicroseconds: Int64
    private let keysMax: Int
    private var young: [Key: [Timestamp]] = [:]
    private var old: [Key: [Timestamp]] = [:]
    private var youngSince: Timestamp?

    /// - Parameters:
    ///   - countMax: Actions of a key in a window.
    ///   - windowSeconds: Time until an action no longer counts.
    ///   - keysMax: Keys in each generation.
    ///   - momentsMax: Action times in each generation. The more actions a key may have, the fewer
    ///     keys are remembered; their product stays the same.
    init(countMax: Int, windowSeconds: Int, keysMax: Int, momentsMax: Int = .max) {
        self.countMax = max(countMax, 1)
        windowMicroseconds = Int64(max(windowSeconds, 1)) * 1_000_000
        self.keysMax = max(1, min(keysMax, momentsMax / self.countMax))
    }

    /// Number of keys in memory.
    var count: Int { young.count + old.count }

    /// - Returns: Whole seconds until another action is allowed; `nil` if it is allowed now.
    func secondsUntilFree(_ key: Key, at now: Timestamp) -> Int? {
        let recent = moments(of: key, at: now)
        guard recent.count >= countMax else { return nil }
        let free = recent[recent.count - countMax].advanced(byMicroseconds: windowMicroseconds)
        return max(1, Int((free.seconds(since: now)).rounded(.up)))
    }

    mutating func record(_ key: Key, at now: Timestamp) {
        let recent = moments(of: key, at: now).suffix(countMax - 1)
        if youngIsOver(at: now) {
            old = young
            young = [:]
            youngSince = now
        }
        old[key] = nil
        young[key] = recent + [now]
    }

    private func youngIsOver(at now: Timestamp) -> Bool {
        guard let youngSince, young.count < keysMax else { return true }
        return !isWithin(youngSince, of: now)
    }

    private func moments(of key: Key, at now: Timestamp) -> [Timestamp] {
        (young[key] ?? old[key] ?? []).filter { isWithin($0, of: now) }
    }

    /// Future times do not count: a clock that was set back must not block anyone.
    private func isWithin(_ moment: Timestamp, of now: Timestamp) -> Bool {
        (0..<windowMicroseconds).contains(now.microseconds &- moment.microseconds)
    }
}
