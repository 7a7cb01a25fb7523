import Foundation

/// Measures the parts, prints one table, and fails where a bar is missed or a figure has become
/// more than a tenth worse than in an earlier table.
///
///     Benchmarks [--rounds N] [--folder DIR] [--before TABLE] [ring] [log] [watch] [growth]
@main
struct Benchmarks {
    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let rounds = take("--rounds", from: &arguments).flatMap(Int.init) ?? 5
        let folder = take("--folder", from: &arguments) ?? NSTemporaryDirectory()
        let before = take("--before", from: &arguments).map(EarlierTable.init(path:))
        let groups: [(name: String, contests: () -> [Contest])] = [
            ("ring", { OneWriterOneReader.contests }),
            ("log", { GroupCommit.contests(in: folder) + CommitLatency.contests(in: folder) }),
            ("watch", { OneWatch.contests + TextIngest.contests }),
            ("growth", { WithoutSockets.contests(in: folder) }),
        ]
        var missed = 0
        print("| figure | unit | ours (low–high) | peers | ratio (low–high) | bar | before | |")
        print("|---|---|---|---|---|---|---|---|")
        for group in groups where arguments.isEmpty || arguments.contains(group.name) {
            for contest in group.contests() {
                let result = contest.run(rounds: rounds)
                let earlier = before?[result.name, result.unit]
                let isGood = result.isMet && earlier.map { !result.isWorse(than: $0) } ?? true
                print(row(result, earlier: earlier, isGood: isGood))
                if !isGood { missed += 1 }
            }
        }
        exit(missed == 0 ? 0 : 1)
    }

    private static func take(_ name: String, from arguments: inout [String]) -> String? {
        guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else {
            return nil
        }
        defer { arguments.removeSubrange(place...place + 1) }
        return arguments[place + 1]
    }

    private static func row(
        _ result: Contest.Result, earlier: Double?, isGood: Bool
    ) -> String {
        guard let ours = result.rows.first else {
            return "| \(result.name) | | failed | | | | | ✗ |"
        }
        let peers = result.rows.dropFirst().map { "\($0.name) \(text($0.median))" }
        let bar =
            switch result.bar {
            case .atLeast(let wanted): "≥ \(text(wanted)) ×"
            case .atMostTimes(let wanted): "≤ \(text(wanted)) ×"
            case .atMost(let wanted): "≤ \(text(wanted))"
            case .none: "–"
            }
        return [
            "", result.name, result.unit,
            "\(text(ours.median)) (\(text(ours.low))–\(text(ours.high)))",
            peers.isEmpty ? "–" : peers.joined(separator: ", "),
            spread(result.ratios), bar, earlier.map { text($0) } ?? "–", isGood ? "✓" : "✗", "",
        ].joined(separator: " | ").trimmingCharacters(in: .whitespaces)
    }

    private static func spread(_ ratios: [Double]) -> String {
        guard let low = ratios.first, let high = ratios.last else { return "–" }
        return "\(text(ratios[ratios.count / 2])) (\(text(low))–\(text(high)))"
    }

    private static func text(_ value: Double) -> String {
        value >= 100 ? String(format: "%.0f", value) : String(format: "%.2f", value)
    }
}
