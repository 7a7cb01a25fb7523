/// Counts unusable items by reason; a reason completes "refused because".
public struct RefusalCounts: Hashable, Sendable {
    public private(set) var counts: [String: Int] = [:]

    public init() {}

    public var total: Int { counts.values.reduce(0, +) }
    public var isEmpty: Bool { counts.isEmpty }

    public mutating func add(_ reason: String, count: Int = 1) {
        counts[reason, default: 0] += count
    }

    public mutating func add(contentsOf other: RefusalCounts) {
        for (reason, count) in other.counts { add(reason, count: count) }
    }
}

extension RefusalCounts: CustomStringConvertible {
    /// For example "3 × heart rate out of range, 1 × no time", most frequent first.
    public var description: String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.value) × \($0.key)" }
            .joined(separator: ", ")
    }
}
