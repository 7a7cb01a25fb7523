import Foundation

extension AdminOptions {
    /// Prints a list from the daemon: JSON unchanged, or a table for people.
    ///
    /// - Parameters:
    ///   - data: A JSON array of objects.
    ///   - columns: Keys, in order.
    /// - Throws: ``CommandFailure`` if the answer is not a list.
    func print(_ data: Data, columns: [String]) throws {
        if json { return Terminal.say(json: Array(data)) }
        guard let rows = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] else {
            throw CommandFailure("the daemon's answer is not a list; is it of another version?")
        }
        var table = TextTable(header: columns)
        for row in rows {
            table.add(
                columns.map { column in
                    Self.cell(row[column], column: column)
                        + (column == "state" ? Self.silence(row["silentSince"]) : "")
                })
        }
        Terminal.say(table.isEmpty ? "none" : table.text)
    }

    /// - Parameters:
    ///   - since: Seconds since 1970 since which a live session is silent, if it is.
    ///   - now: The present.
    /// - Returns: Words behind the session's state.
    static func silence(_ since: Any?, now: Date = Date()) -> String {
        guard let since = since as? NSNumber else { return "" }
        let minutes = (now.timeIntervalSince1970 - since.doubleValue) / 60
        return ", silent for \(max(1, Int(minutes))) min"
    }

    private static func cell(_ value: Any?, column: String) -> String {
        switch value {
        case nil, is NSNull: return "–"
        case let flag as Bool where column == "revoked": return flag ? "yes" : "no"
        case let list as [Any]: return list.map { "\($0)" }.joined(separator: ",")
        case let number as NSNumber
        where column.hasSuffix("At") || ["at", "lastSeen"].contains(column):
            return Date(timeIntervalSince1970: number.doubleValue).formatted(.iso8601)
        case let number as Double where number != number.rounded():
            return String(format: "%.1f", number)
        case .some(let value): return "\(value)"
        }
    }
}

/// One segment of a path, percent-encoded.
func segment(_ text: String) -> String {
    text.addingPercentEncoding(
        withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-_."))) ?? ""
}
