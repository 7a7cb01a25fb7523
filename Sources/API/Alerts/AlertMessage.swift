import Foundation
import SensorModel

/// What a receiver is told of an alert: who, what, where, how far and since when, as far as the
/// receivers' share shows it.
struct AlertMessage: Encodable, Sendable {
    enum Phase: String, Encodable, Sendable {
        case raised, confirmed, over
        /// The owner tries a receiver.
        case test
    }

    /// Fields of the share's snapshot that a message uses.
    struct Shown: Decodable, Sendable {
        struct Position: Decodable, Sendable {
            let latitude: Double
            let longitude: Double
        }

        let time: Double?
        let distanceMeters: Double?
        let position: Position?

        init?(snapshot: [UInt8]) {
            guard let shown = try? JSONDecoder().decode(Self.self, from: Data(snapshot)) else {
                return nil
            }
            self = shown
        }
    }

    struct Expected: Encodable, Sendable {
        let checkpoint: String
        let at: Double
        let marginSeconds: Double
    }

    let event = "alert"
    let phase: Phase
    /// Kind of the alert.
    let alert: String
    let runner: String
    let title: String
    let text: String
    /// Seconds since 1970.
    let since: Double?
    let seenAt: Double?
    let latitude: Double?
    let longitude: Double?
    let distanceMeters: Double?
    let expected: Expected?
    /// The live link, which ends with the alert.
    let link: String?
    /// A page that confirms by a button, and by POST without one.
    let confirm: String?
    let confirmedBy: String?

    /// - Parameters:
    ///   - entry: The alert.
    ///   - phase: What is told of it.
    ///   - runner: Name of the runner.
    ///   - shown: What the receivers' share shows; `nil`: nothing.
    ///   - isTimed: Whether the receiver may know since when, and what was expected.
    ///   - timeZone: The runner's, for times in the text.
    ///   - link: The live link; `nil`: there is none.
    ///   - confirm: Address of the confirmation; `nil`: nothing is to confirm.
    init(
        _ entry: AlertCases.Entry, phase: Phase, runner: String, shown: Shown?, isTimed: Bool,
        timeZone: String, link: String?, confirm: String?
    ) {
        self.phase = phase
        alert = entry.key.topic.rawValue
        self.runner = runner
        confirmedBy = entry.confirmedBy
        let topic = entry.key.topic
        since = isTimed || topic.isCallForHelp ? entry.since.secondsSince1970 : nil
        seenAt = shown?.time
        latitude = shown?.position?.latitude
        longitude = shown?.position?.longitude
        distanceMeters = shown?.distanceMeters
        let overdue = entry.overdue.flatMap { isTimed ? $0 : nil }
        expected = overdue.map {
            Expected(
                checkpoint: $0.checkpoint, at: $0.at.secondsSince1970,
                marginSeconds: $0.marginSeconds)
        }
        self.link = link
        self.confirm = confirm
        let what = Self.what(topic, runner)
        title =
            switch phase {
            case .raised, .test: what
            case .confirmed: "\(entry.confirmedBy ?? "Somebody") takes care: \(what)"
            case .over: "Over: \(what)"
            }
        text = Self.text(
            overdue: overdue, since: since, shown: shown,
            timeZone: TimeZone(identifier: timeZone) ?? .gmt, link: link, confirm: confirm)
    }

    /// A message that tries a receiver.
    init(testing receiver: String, runner: String) {
        phase = .test
        alert = "test"
        self.runner = runner
        title = "\(runner): a test"
        text = "\(receiver) is told of \(runner)'s alerts. Nothing has happened."
        since = nil
        seenAt = nil
        latitude = nil
        longitude = nil
        distanceMeters = nil
        expected = nil
        link = nil
        confirm = nil
        confirmedBy = nil
    }

    private static func text(
        overdue: RunWatch.Expectation?, since: Double?, shown: Shown?, timeZone: TimeZone,
        link: String?, confirm: String?
    ) -> String {
        func clock(_ seconds: Double) -> String {
            var style = Date.FormatStyle(locale: Locale(identifier: "en_GB"), timeZone: timeZone)
            style = style.hour(.twoDigits(amPM: .omitted)).minute(.twoDigits)
            return Date(timeIntervalSince1970: seconds).formatted(style)
        }
        var lines: [String] = []
        if let overdue {
            lines.append(
                "Expected at \(overdue.checkpoint) at \(clock(overdue.at.secondsSince1970))"
                    + " ± \(Int(overdue.marginSeconds / 60)) min, not seen.")
        }
        if let since { lines.append("Since \(clock(since)).") }
        if let position = shown?.position {
            let place = String(format: "%.5f, %.5f", position.latitude, position.longitude)
            let time = shown?.time.map { " at \(clock($0))" } ?? ""
            lines.append("Last here\(time): \(place).")
        } else {
            lines.append("The place is not shown.")
        }
        if let meters = shown?.distanceMeters {
            lines.append(String(format: "%.1f km so far.", meters / 1000))
        }
        if let link { lines.append("Live: \(link)") }
        if let confirm { lines.append("I take care of it: \(confirm)") }
        return lines.joined(separator: "\n")
    }

    /// Who has which trouble, in a few words.
    static func what(_ topic: AlertTopic, _ runner: String) -> String {
        switch topic {
        case .sos: "\(runner) calls for help"
        case .fall: "\(runner) fell"
        case .noMovement: "\(runner) does not move"
        case .safetyTimer: "\(runner)'s safety timer has run out"
        case .offCourse: "\(runner) left the course"
        case .overdue: "\(runner) is overdue"
        case .silent: "No sign of \(runner)"
        }
    }
}
