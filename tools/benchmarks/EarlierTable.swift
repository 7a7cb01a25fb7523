import Foundation

/// The figures of a table that was kept: ratios, and of what has no peer the figure itself.
struct EarlierTable {
    private var figures: [String: Double] = [:]

    /// A file that cannot be read is one without figures.
    init(path: String) {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") {
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count >= 6 else { continue }
            let figure = Self.number(of: cells[4]) ?? Self.number(of: cells[2])
            figures[cells[0] + "|" + cells[1]] = figure
        }
    }

    /// `nil`: the table has no such figure.
    subscript(name: String, unit: String) -> Double? { figures[name + "|" + unit] }

    /// What stands before the spread.
    private static func number(of cell: String) -> Double? {
        cell.split(separator: " ").first.flatMap { Double($0) }
    }
}
