import Foundation
import SegmentLog
package import SensorModel
package import Transport

/// Query for a page of a list of sessions.
package struct SessionPageQuery: Sendable {
    package static let limits = 1...1000
    static let limitDefault = 100
    /// Longest text of a search, in Unicode scalars: a character may have any number of them.
    static let searchCharactersMax = 64

    package var limit = Self.limitDefault
    /// Cursor of the last row that the reader has; the page begins after it.
    package var before: LogCursor?
    package var since: Timestamp?
    /// Sought text, composed as notes are kept; `nil`: all sessions.
    package var search: String?

    /// - Throws: ``APIRefusal/badField(name:allowed:)``
    package init(_ request: HTTPRequest) throws(APIRefusal) {
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
        if let text = request.query["search"] { search = try Self.search(text) }
    }

    private static func search(_ text: String) throws(APIRefusal) -> String {
        let composed = text.precomposedStringWithCanonicalMapping
        let scalars = composed.unicodeScalars
        guard (1...searchCharactersMax).contains(scalars.count),
            !scalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw .badField(
                name: "search",
                allowed: "1 to \(searchCharactersMax) characters, none of them a control character"
            )
        }
        return composed
    }

    /// The `Link` header of an answer that is not the last page.
    ///
    /// - Parameters:
    ///   - path: Path of the list.
    ///   - cursor: Cursor of the page's last row.
    ///   - others: Other query items of the request.
    /// - Returns: The field's value.
    package func link(
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
        if let search {
            components.queryItems?.append(URLQueryItem(name: "search", value: search))
        }
        // A plus sign is a space to those who read a query as a form.
        components.percentEncodedQuery?.replace("+", with: "%2B")
        return "<\(components.string ?? path)>; rel=\"next\""
    }
}
