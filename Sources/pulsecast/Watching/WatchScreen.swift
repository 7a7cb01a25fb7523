import Foundation

/// The newest values of a share, drawn on a terminal.
struct WatchScreen {
    private static let historyMax = 300

    private var values: [String: Any] = [:]
    private var heartRates: [Double] = []
    private var notices: [String] = []

    /// - Parameter object: A snapshot, update or event.
    mutating func take(_ object: [String: Any]) {
        switch object["type"] as? String {
        case "snapshot": values = object
        case "update": values.merge(object) { _, newer in newer }
        case "event":
            let name = object["event"] as? String ?? "event"
            notices.append((object["text"] as? String).map { "\(name): \($0)" } ?? name)
            notices = Array(notices.suffix(4))
        default: break
        }
        if let bpm = number("heartRate", "bpm") {
            heartRates = Array((heartRates + [bpm]).suffix(Self.historyMax))
        }
    }

    /// The whole screen, from its top left corner.
    var text: String {
        let rows = [
            "\(state)",
            "♥ \(shown(number("heartRate", "bpm"), "%.0f")) beats/min   zone"
                + " \(shown(number("heartRate", "zone"), "%.0f"))   \(heartState)",
            "  cadence \(shown(number("cadence", "stepsPerMinute"), "%.0f")) steps/min"
                + "   pace \(pace)/km",
            "  distance \(shown(number("distanceMeters").map { $0 / 1000 }, "%.2f")) km"
                + "   moving \(clock(number("movingSeconds")))"
                + "   elapsed \(clock(number("elapsedSeconds")))"
                + "   climb \(shown(number("elevationGainMeters"), "%.0f")) m",
        ]
        let chart = BrailleChart.rows(heartRates, columns: 60, rows: 6)
        let lines = rows + [""] + chart + [""] + notices
        return "\u{1B}[H\u{1B}[2J" + lines.joined(separator: "\n") + "\n"
    }

    private var state: String { (values["state"] as? String ?? "waiting").uppercased() }

    private var heartState: String {
        guard let heart = values["heartRate"] as? [String: Any],
            let state = heart["state"] as? String, state != "live"
        else { return "" }
        let age = (heart["ageSeconds"] as? NSNumber)?.doubleValue ?? 0
        return "(\(state), \(Int(age)) s old)"
    }

    private var pace: String {
        guard let seconds = number("paceSecondsPerKm"), seconds > 0, seconds < 3600 else {
            return "--:--"
        }
        return String(format: "%d:%02d", Int(seconds) / 60, Int(seconds) % 60)
    }

    private func number(_ key: String, _ inner: String? = nil) -> Double? {
        let value = inner.map { (values[key] as? [String: Any])?[$0] } ?? values[key]
        return (value as? NSNumber)?.doubleValue
    }

    private func shown(_ value: Double?, _ format: String) -> String {
        value.map { String(format: format, $0) } ?? "–"
    }

    private func clock(_ seconds: Double?) -> String {
        guard let seconds else { return "–" }
        let whole = Int(seconds)
        return whole >= 3600
            ? String(format: "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60)
            : String(format: "%02d:%02d", whole / 60, whole % 60)
    }
}
