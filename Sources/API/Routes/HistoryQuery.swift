package import SensorModel
package import Sharing
package import Transport

/// Query for a page of a share's history.
package struct HistoryQuery: Hashable, Sendable {
    package static let limits = 1...1000

    package let limit: Int
    /// Absent: from the beginning; `.some(nil)`: a text that is no cursor, answered with a gap.
    package let after: LogCursor??

    /// - Throws: ``APIRefusal/badField(name:allowed:)``
    package init(_ query: QueryItems) throws(APIRefusal) {
        guard let limit = query["limit"].map({ Int($0) }) ?? Self.limits.upperBound,
            Self.limits.contains(limit)
        else {
            throw .badField(
                name: "limit", allowed: "\(Self.limits.lowerBound) to \(Self.limits.upperBound)")
        }
        self.limit = limit
        after = query["after"].map { LogCursor($0) }
    }
}

/// Query for a session's overview.
package struct OverviewQuery: Hashable, Sendable {
    package static let limits = 1...SessionOverview.pointsMax
    static let pointsUnlessAsked = 512

    package let points: Int
    /// Runner of a group.
    package let runner: String?
    package let parts: OverviewParts

    /// - Throws: ``APIRefusal/badField(name:allowed:)``
    package init(_ query: QueryItems) throws(APIRefusal) {
        guard let points = query["points"].map({ Int($0) }) ?? Self.pointsUnlessAsked,
            Self.limits.contains(points)
        else {
            throw .badField(
                name: "points", allowed: "\(Self.limits.lowerBound) to \(Self.limits.upperBound)")
        }
        guard let parts = query["columns"].map(OverviewParts.init) ?? .all else {
            throw .badField(
                name: "columns",
                allowed: "some of \(OverviewParts.names.joined(separator: ",")), with commas")
        }
        self.points = points
        self.parts = parts
        runner = query["runner"]
    }
}

/// Query for samples of `heartRate.json`.
package struct PublicHistoryQuery: Hashable, Sendable {
    package static let limits = 1...10_000

    package let limit: Int
    /// Milliseconds since 1970.
    package let startAt: Int64?

    /// - Throws: ``APIRefusal/badField(name:allowed:)``
    package init(_ query: QueryItems) throws(APIRefusal) {
        guard let limit = query["limitToLast"].map({ Int($0) }) ?? 1000,
            Self.limits.contains(limit)
        else {
            throw .badField(
                name: "limitToLast",
                allowed: "\(Self.limits.lowerBound) to \(Self.limits.upperBound)")
        }
        self.limit = limit
        guard let text = query["startAt"] else {
            startAt = nil
            return
        }
        // Firebase clients put a key in quotes.
        guard let start = Int64(text.filter { $0 != "\"" }) else {
            throw .badField(name: "startAt", allowed: "milliseconds since 1970")
        }
        startAt = start
    }
}
