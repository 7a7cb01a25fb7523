/// Counts values of a file by the name of their field.
public struct FieldCounts: Hashable, Sendable {
    /// Maximum number of names, because a file may be hostile; further ones are counted together.
    private static let namesMax = 400
    private static let others = "other fields"

    public private(set) var counts: [String: Int] = [:]

    public init() {}

    public var isEmpty: Bool { counts.isEmpty }

    public mutating func add(_ name: String, count: Int = 1) {
        let isKnown = counts[name] != nil || counts.count < Self.namesMax
        counts[isKnown ? name : Self.others, default: 0] += count
    }
}

extension FieldCounts: CustomStringConvertible {
    /// For example "3 × record.temperature, 1 × lap.24", most frequent first.
    public var description: String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.value) × \($0.key)" }
            .joined(separator: ", ")
    }
}
