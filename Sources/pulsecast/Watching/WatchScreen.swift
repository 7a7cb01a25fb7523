import Bytes
import Foundation
import SensorModel

/// The newest values of a share, as lines of a terminal.
struct WatchScreen {
    private static let historyMax = 40_000

    private typealias Values = [String: Any]

    private var values: Values = [:]
    /// Runners of a group, by name.
    private var runners: [String: Values] = [:]
    private var heartRates: [Double] = []
    private var route: [(latitude: Double, longitude: Double)] = []
    private var notices: [String] = []
    /// Problem of the connection; `nil`: none.
    var connection: String?

    /// - Parameters:
    ///   - object: A snapshot, update, event, or an item of the history.
    ///   - history: Whether it precedes the values shown.
    mutating func take(_ object: [String: Any], history: Bool) {
        if let members = object["runners"] as? [[String: Any]] {
            for member in members { take(member, history: history) }
            return
        }
        let type = object["type"] as? String
        if let runner = ServerValue.text(object["runner"]), type != "event" {
            guard runners[runner] != nil || runners.count < Limits.groupSharesMax else { return }
            let known = type == "snapshot" ? [:] : runners[runner] ?? [:]
            if !history { runners[runner] = known.merging(object) { _, newer in newer } }
            return
        }
        switch type {
        case "snapshot" where !history: values = object
        case "update" where !history: values.merge(object) { _, newer in newer }
        case "event":
            guard !history else { return }
            let name = ServerValue.text(object["event"]) ?? "event"
            let words = ServerValue.text(object["text"] ?? object["checkpoint"])
            notices.append(words.map { "\(name): \($0)" } ?? name)
            notices = Array(notices.suffix(3))
        default: break
        }
        if let bpm = Self.number(object, "heartRate", "bpm"), Self.isLive(object, "heartRate") {
            heartRates.append(bpm)
            if heartRates.count > Self.historyMax { heartRates.removeFirst(Self.historyMax / 2) }
        }
        if let latitude = Self.number(object, "position", "latitude", in: -90...90),
            let longitude = Self.number(object, "position", "longitude", in: -180...180),
            Self.isLive(object, "position")
        {
            route.append((latitude, longitude))
            if route.count > Self.historyMax { route.removeFirst(Self.historyMax / 2) }
        }
    }

    /// - Parameters:
    ///   - columns: Width of the terminal.
    ///   - rows: Height of the terminal.
    /// - Returns: Lines from the top; never more than `rows`, and without terminal control
    ///   sequences.
    func lines(columns: Int, rows: Int) -> [String] {
        var lines = runners.isEmpty ? facts : board
        lines = lines.map { String($0.prefix(columns)) }
        let below = notices.map { String($0.prefix(columns)) }
        let room = rows - lines.count - below.count - 2
        if runners.isEmpty, room >= 3 {
            lines += [""] + pictures(columns: columns, rows: room)
        }
        return (lines + [""] + below).prefix(rows).map { CleanText.clean($0) }
    }

    private var facts: [String] {
        [
            connection ?? state.uppercased(),
            "♥ \(shown("heartRate", "bpm")) beats/min   zone \(shown("heartRate", "zone"))"
                + "   \(heartState)",
            "  pace \(Self.pace(values))/km   cadence \(shown("cadence", "stepsPerMinute"))"
                + " steps/min   climb \(shown("elevationGainMeters")) m",
            "  distance \(Self.kilometers(values)) km   moving \(clock("movingSeconds"))"
                + "   elapsed \(clock("elapsedSeconds"))",
        ]
    }

    /// The runners of the group, farthest first.
    private var board: [String] {
        let order = runners.sorted { left, right in
            let meters = [left, right].map { Self.number($0.value, "distanceMeters") ?? -1 }
            return meters[0] == meters[1] ? left.key < right.key : meters[0] > meters[1]
        }
        let head = connection ?? "\(runners.count) runners"
        return [head, ""]
            + order.enumerated().map { index, runner in
                let bpm = Self.number(runner.value, "heartRate", "bpm").map { "\(Int($0))" } ?? "–"
                let state = ServerValue.text(runner.value["state"]) ?? "waiting"
                return "\(index + 1)".padded(to: 4) + runner.key.padded(to: 20)
                    + Self.kilometers(runner.value).padded(to: 8) + "km  "
                    + Self.pace(runner.value).padded(to: 6) + "/km  ♥ " + bpm.padded(to: 5)
                    + (state == "live" ? "" : state)
            }
    }

    /// The chart, and the route beside it if there is room.
    private func pictures(columns: Int, rows: Int) -> [String] {
        guard route.count > 1 else {
            return BrailleChart.rows(heartRates, columns: columns, rows: min(rows, 12))
        }
        guard columns >= 60 else {
            let upper = BrailleChart.rows(heartRates, columns: columns, rows: max(rows / 3, 2))
            return upper
                + BrailleRoute.rows(route, columns: columns, rows: max(rows - upper.count, 1))
        }
        let half = (columns - 3) / 2
        let chart = BrailleChart.rows(heartRates, columns: half, rows: min(rows, 12))
        let map = BrailleRoute.rows(route, columns: columns - half - 3, rows: rows)
        return (0..<max(chart.count, map.count)).map { index in
            let left = index < chart.count ? chart[index] : ""
            return left.padded(to: half + 3) + (index < map.count ? map[index] : "")
        }
    }

    private var state: String { ServerValue.text(values["state"]) ?? "waiting" }

    private var heartState: String {
        guard let heart = values["heartRate"] as? [String: Any],
            let state = ServerValue.text(heart["state"]), state != "live"
        else { return "" }
        return state == "ended"
            ? "(final)" : "(\(state), \(shown("heartRate", "ageSeconds")) s old)"
    }

    private func shown(_ key: String, _ inner: String? = nil) -> String {
        Self.number(values, key, inner).map { String(format: "%.0f", $0) } ?? "–"
    }

    private func clock(_ key: String) -> String {
        guard let seconds = Self.number(values, key) else { return "–" }
        let whole = Int(seconds)
        return whole >= 3600
            ? String(format: "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60)
            : String(format: "%02d:%02d", whole / 60, whole % 60)
    }

    private static func kilometers(_ values: Values) -> String {
        number(values, "distanceMeters").map { String(format: "%.2f", $0 / 1000) } ?? "–"
    }

    private static func pace(_ values: Values) -> String {
        guard let seconds = number(values, "paceSecondsPerKm"), seconds > 0, seconds < 3600 else {
            return "--:--"
        }
        return String(format: "%d:%02d", Int(seconds) / 60, Int(seconds) % 60)
    }

    private static func isLive(_ values: Values, _ key: String) -> Bool {
        let part = values[key] as? [String: Any]
        return part?["state"] as? String == "live"
    }

    private static func number(
        _ values: Values, _ key: String, _ inner: String? = nil,
        in range: ClosedRange<Double> = -1e9...1e9
    ) -> Double? {
        let value = inner.map { (values[key] as? Values)?[$0] ?? nil } ?? values[key]
        return ServerValue.number(value, in: range)
    }
}
