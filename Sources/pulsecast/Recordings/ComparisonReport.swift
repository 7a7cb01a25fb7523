import Foundation
import Replay

/// What `analyze --compare` prints: two analyses side by side, and where they differ.
struct ComparisonReport {
    let names: (first: String, second: String)
    let offsetSeconds: Double
    let comparison: AnalysisComparison

    /// Tables for people; a figure that both have alike stands there, too.
    var text: String {
        var figures = TextTable(header: ["", names.first, names.second, "difference"])
        for figure in comparison.figures {
            figures.add([
                figure.name, Self.text(figure.first), Self.text(figure.second),
                Self.difference(figure.first, figure.second),
            ])
        }
        for (index, split) in comparison.splits.enumerated() {
            figures.add([
                "km \(index + 1), seconds", Self.text(split.0), Self.text(split.1),
                Self.difference(split.0, split.1),
            ])
        }
        var series = TextTable(header: [
            "each second", "in both", "mean apart", "most apart", "at second", "only first",
            "only second",
        ])
        for distance in comparison.distances {
            series.add([
                distance.quantity.rawValue, "\(distance.seconds)", Self.text(distance.mean),
                Self.text(distance.largest), Self.text(distance.largestAt),
                "\(distance.onlyFirst)", "\(distance.onlySecond)",
            ])
        }
        let pauses =
            comparison.pausesOnlyInFirst.map { (names.first, $0) }
            + comparison.pausesOnlyInSecond.map { (names.second, $0) }
        let lines = pauses.map { name, pause in
            "only \(name) pauses from \(Self.text(pause.start)) to"
                + " \(pause.end.map(Self.text) ?? "the end") s"
        }
        let begin =
            offsetSeconds == 0
            ? []
            : ["\(names.second) begins at second \(Self.text(offsetSeconds)) of \(names.first)"]
        let end = comparison.isSame ? ["no difference"] : lines
        return (begin + [figures.text, "", series.text] + (end.isEmpty ? [] : [""] + end))
            .joined(separator: "\n")
    }

    /// The same as one object.
    var json: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return Array(try encoder.encode(Object(self)))
        }
    }

    private static func text(_ value: Double?) -> String {
        guard let value else { return "–" }
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() ? String(format: "%.0f", rounded) : "\(rounded)"
    }

    private static func difference(_ first: Double?, _ second: Double?) -> String {
        guard let first, let second else { return first == nil && second == nil ? "" : "one only" }
        guard first != second else { return "" }
        let size = String(format: "%+.2f", second - first)
        return first == 0 ? size : size + String(format: " (%+.2f %%)", (second / first - 1) * 100)
    }
}

extension ComparisonReport {
    private struct Object: Encodable {
        struct Pair: Encodable {
            var name: String
            var first: Double?
            var second: Double?
        }

        struct Series: Encodable {
            var name: String
            var seconds: Int
            var meanApart: Double
            var mostApart: Double
            var atSecond: Double?
            var onlyFirst: Int
            var onlySecond: Int
        }

        struct Pause: Encodable {
            var start: Double
            var end: Double?
        }

        let first: String
        let second: String
        let offsetSeconds: Double
        let isSame: Bool
        let summary: [Pair]
        let splits: [Pair]
        let series: [Series]
        let pausesOnlyInFirst: [Pause]
        let pausesOnlyInSecond: [Pause]

        init(_ report: ComparisonReport) {
            let comparison = report.comparison
            (first, second) = report.names
            offsetSeconds = report.offsetSeconds
            isSame = comparison.isSame
            summary = comparison.figures.map {
                Pair(name: $0.name, first: $0.first, second: $0.second)
            }
            splits = comparison.splits.enumerated().map {
                Pair(name: "\($0.offset + 1)", first: $0.element.0, second: $0.element.1)
            }
            series = comparison.distances.map {
                Series(
                    name: $0.quantity.rawValue, seconds: $0.seconds, meanApart: $0.mean,
                    mostApart: $0.largest, atSecond: $0.largestAt, onlyFirst: $0.onlyFirst,
                    onlySecond: $0.onlySecond)
            }
            func pauses(_ pauses: [AnalysisReport.Pause]) -> [Pause] {
                pauses.map { Pause(start: $0.start, end: $0.end) }
            }
            pausesOnlyInFirst = pauses(comparison.pausesOnlyInFirst)
            pausesOnlyInSecond = pauses(comparison.pausesOnlyInSecond)
        }
    }
}
