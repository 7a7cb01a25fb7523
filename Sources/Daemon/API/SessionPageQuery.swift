import Foundation
import SegmentLog
import SensorModel
import Transport

/// Which page of a list of sessions is wanted.
struct SessionPageQuery: Sendable {
    static let limits = 1...1000
    static let limitDefault = 100

    var limit = Self.limitDefault
    /// Of the last row that the reader has.
    var before: LogCursor?
    var since: Timestamp?

    /// - Throws: ``APIRefusal/badField(name:allowed:)``
    init(_ request: HTTPRequest) throws(APIRefusal) {
        if let text = request.query["limit"] {
            guard let limit = Int(text), Self.limits.contains(limit) else {
                throw .badField(
                    name: "limit",
                    allowed: "\(Self.limits.lowerBound) to \(Self.limits.upperBound)")
            }
            self.limit = limit
        }
        if let text = request.query["before"] {
            guard let cursor = LogCursor(text) else {
                throw .badField(name: "before", allowed: "the cursor of a session in a list")
            }
            before = cursor
        }
        if let text = request.query["since"] {
            guard let seconds = Double(text), let time = Timestamp(secondsSince1970: seconds)
            else { throw .badField(name: "since", allowed: "seconds since 1970") }
            since = time
        }
    }

    /// `Link` of an answer that is not the last page.
    ///
    /// - Parameters:
    ///   - path: Of the list.
    ///   - cursor: Of the page's last row.
    ///   - others: What else the request asked for.
    /// - Returns: The field's value.
    func link(
        to path: String, after cursor: LogCursor, _ others: [(name: String, value: String)] = []
    ) -> String {
        var components = URLComponents()
        components.path = path
        components.queryItems =
            others.map { URLQueryItem(name: $0.name, value: $0.value) } + [
                URLQueryItem(name: "before", value: "\(cursor)"),
                URLQueryItem(name: "limit", value: String(limit)),
            ]
        if let since {
            components.queryItems?.append(
                URLQueryItem(name: "since", value: "\(since.secondsSince1970)"))
        }
        return "<\(components.string ?? path)>; rel=\"next\""
    }
}
