import Client
import Foundation
import Transport

extension AdminOptions {
    /// Sessions on the daemon's longest page.
    private static let sessionsPerPage = 1000

    private struct Row: Decodable {
        let cursor: String
    }

    /// The newest sessions, requested page by page.
    ///
    /// - Parameters:
    ///   - query: Names and values, without `limit` and `before`.
    ///   - limit: Maximum number; `nil`: all.
    ///   - start: Cursor of a row; sessions that began before it follow. `nil`: from the newest on.
    /// - Returns: A JSON array, and the cursor of the next page, if any.
    /// - Throws: ``CommandFailure``
    func sessions(
        _ query: [(name: String, value: String)], limit: Int?, before start: String? = nil
    ) async throws -> (list: Data, next: String?) {
        var parts: [Data] = []
        var (left, before) = (limit ?? .max, start)
        while true {
            let size = min(left, Self.sessionsPerPage)
            let items = query + [("limit", String(size))] + (before.map { [("before", $0)] } ?? [])
            let text = items.map { "\($0.name)=\(segment($0.value))" }.joined(separator: "&")
            let answer = try await answer("GET", "/sessions?\(text)")
            let rows = try JSONDecoder().decode([Row].self, from: Data(answer.body))
            parts.append(Self.members(of: answer.body))
            left -= rows.count
            before = answer.fields["Link"] == nil ? nil : rows.last?.cursor
            guard left > 0, before != nil else { break }
        }
        let members = parts.filter { !$0.isEmpty }.joined(separator: Data(",".utf8))
        return (Data("[".utf8) + members + Data("]\n".utf8), before)
    }

    /// The members of an array, as text without the brackets.
    private static func members(of list: [UInt8]) -> Data {
        guard let first = list.firstIndex(of: UInt8(ascii: "[")),
            let last = list.lastIndex(of: UInt8(ascii: "]"))
        else { return Data() }
        return Data(list[(first + 1)..<last])
    }
}
