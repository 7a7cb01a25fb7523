import Foundation
import Transport

extension AdminOptions {
    /// The daemon's longest page.
    private static let sessionsPerPage = 1000

    private struct Row: Decodable {
        let cursor: String
    }

    /// The newest sessions, asked for page by page.
    ///
    /// - Parameters:
    ///   - query: Names and values, without `limit` and `before`.
    ///   - limit: At most so many; `nil`: all.
    ///   - start: The cursor of a row; what began before it is wanted. `nil`: from the newest on.
    /// - Returns: A JSON array, and the cursor to go on from where there are more.
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

    /// What is between the brackets of an array, as it is.
    private static func members(of list: [UInt8]) -> Data {
        guard let first = list.firstIndex(of: UInt8(ascii: "[")),
            let last = list.lastIndex(of: UInt8(ascii: "]"))
        else { return Data() }
        return Data(list[(first + 1)..<last])
    }
}
