import Foundation
import PrivacyAttacks

/// Prints, by design, for how many homes the published attacks succeed.
///
/// `privacytable [--homes N] [--runs N] [--seed S] [--habit direct|roundabout] [--designs SET]`:
/// SET is `product`, `changing`, `leaking`, `late`, `circles` or `all`.
@main
enum PrivacyTable {
    static func main() {
        var numbers: [String: Int] = ["--homes": 1000, "--runs": 50, "--seed": 1]
        var designs = Design.product
        var habit = Runner.Habit.direct
        var arguments = CommandLine.arguments.dropFirst()
        while let name = arguments.popFirst() {
            if name == "--designs",
                let value = arguments.popFirst().flatMap({ Design.sets[$0] })
            {
                designs = value
            } else if name == "--habit",
                let value = arguments.popFirst().flatMap(Runner.Habit.init)
            {
                habit = value
            } else if numbers[name] != nil, let value = arguments.popFirst().flatMap({ Int($0) }) {
                numbers[name] = value
            } else {
                print(
                    "usage: privacytable [--homes N] [--runs N] [--seed S]",
                    "[--habit direct|roundabout] [--designs SET]")
                exit(64)
            }
        }
        let trial = Trial(seed: UInt64(numbers["--seed"] ?? 1), habit: habit)
        let scores = trial.scores(
            homes: numbers["--homes"] ?? 0, runs: numbers["--runs"] ?? 0, designs: designs)
        print(
            "\(numbers["--homes"] ?? 0) homes, \(numbers["--runs"] ?? 0) runs each,",
            "\(habit.rawValue); \(trial.town.buildings.count) buildings; percent of homes found")
        for (design, score) in zip(designs, scores) {
            print(
                "\n\(design.name) (blind guess \(percent(score.baselinePercent));",
                "of the meters \(percent(score.shownPercent)) shown)")
            for attack in Attack.allCases {
                guard let found = score.percent(attack) else { continue }
                let name = attack.rawValue.padding(toLength: 28, withPad: " ", startingAt: 0)
                print("  \(name)\(percent(found))")
            }
            if score.leaks > 0 { print("  positions shown inside: \(score.leaks)") }
        }
    }

    private static func percent(_ value: Double) -> String {
        String(format: "%5.1f %%", value)
    }
}
