import ArgumentParser
import Foundation

/// Prints fitness, fatigue and form over the recorded sessions.
struct TrainingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "training",
        abstract: "Shows fitness, fatigue and form day by day.",
        discussion: """
            Load is hrTSS. A session without heart rate counts by its perceived exertion \
            (pulsecast session set), and by effort kilometers without either. Fitness and \
            fatigue smooth it over 42 and 7 days, form is their difference. Acute to chronic is \
            the mean of 7 days over that of 28 (above 1.5 risks injury), monotony the week's \
            mean over its deviation (above 2 is high). Below are the sums of each week. Days \
            end at three in the morning in the wearer's time zone (pulsecast device set NAME \
            --time-zone).

            Example:
              pulsecast training my-watch --days 7
            """)

    @OptionGroup var admin: AdminOptions
    @Argument(help: .value("device", "The device."), completion: .devices) var name: String
    @Option(help: .value("count", "How many, 1…400.")) var days = 28

    func run() async throws {
        let data = try await admin.ask("GET", "/devices/\(segment(name))/training?days=\(days)")
        if admin.json { return Terminal.say(json: Array(data)) }
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        if let pending = answer?["sessionsPending"] as? Int, pending > 0 {
            Terminal.complain("\(pending) sessions are still being computed: ask again soon")
        }
        let rows = (answer?["days"] as? [[String: Any]] ?? []).drop { row in
            ["sessions", "fitness"].allSatisfy { (row[$0] as? NSNumber)?.doubleValue ?? 0 == 0 }
        }
        guard !rows.isEmpty else {
            return Terminal.say("no sessions of \(name) in the last \(days) days")
        }
        let list = try JSONSerialization.data(withJSONObject: Array(rows))
        try admin.print(
            list,
            columns: [
                "day", "load", "sessions", "fitness", "fatigue", "form", "acuteToChronic",
                "monotony", "monotonyLevel", "warning",
            ])
        let weeks = (answer?["weeks"] as? [[String: Any]] ?? []).drop { row in
            (row["sessions"] as? NSNumber)?.intValue ?? 0 == 0
        }
        Terminal.say("")
        if let drift = answer?["heartRateDrift"] as? [String: Any],
            drift["isWarned"] as? Bool == true
        {
            Terminal.say(
                "The newest run's heart rate is \(drift["percent"] ?? "") % above that of others"
                    + " at its pace: heat, fatigue or illness?\n")
        }
        try admin.print(
            try JSONSerialization.data(withJSONObject: Array(weeks)),
            columns: ["start", "sessions", "distanceKm", "climbMeters", "movingSeconds", "load"])
    }
}
