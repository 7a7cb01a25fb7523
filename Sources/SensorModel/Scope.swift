/// The parts of a session that a share shows. Each part includes the session's state and times.
public struct Scope: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Heart rate, zone, zone seconds, averages.
    public static let heartRate = Scope(rawValue: 1)
    /// Cadence, steps, speed, pace, distance, splits, climb, load.
    public static let metrics = Scope(rawValue: 2)
    /// Position, course, route, altitude.
    public static let location = Scope(rawValue: 4)
    public static let all: Scope = [.heartRate, .metrics, .location]

    public static let names: [(name: String, scope: Scope)] = [
        ("heartRate", .heartRate), ("metrics", .metrics), ("location", .location),
    ]

    /// The names of the parts, in the order of ``names``.
    public var partNames: [String] {
        Self.names.filter { contains($0.scope) }.map(\.name)
    }

    /// - Parameter text: Names separated by commas.
    /// `nil` for an unknown name or an empty list.
    public init?(names text: String) {
        var scope: Scope = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.trimmingSpaces()
            guard let known = Self.names.first(where: { $0.name == name }) else { return nil }
            scope.insert(known.scope)
        }
        guard !scope.isEmpty else { return nil }
        self = scope
    }
}

extension Substring {
    fileprivate func trimmingSpaces() -> Substring {
        var trimmed = self
        while trimmed.first == " " { trimmed.removeFirst() }
        while trimmed.last == " " { trimmed.removeLast() }
        return trimmed
    }
}
