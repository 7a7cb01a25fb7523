import Foundation
import Processing
import SensorModel

/// Days of the current week on which a runner trained, by the runner's local clock. A day ends at 3
/// in the morning.
struct TrainingWeek: Encodable, Hashable, Sendable {
    /// Monday of the week, as `2026-11-16`.
    let start: String
    /// Training days, Monday to Sunday.
    private(set) var days: [Bool]
    /// The same Monday in days since 1970.
    private let monday: Int
    private let zone: TimeZone

    private enum CodingKeys: String, CodingKey {
        case start, days
    }

    /// - Parameters:
    ///   - now: A time in this week.
    ///   - timeZone: An IANA name; an unknown one counts as UTC.
    init(at now: Timestamp, timeZone: String) {
        zone = TimeZone(identifier: timeZone) ?? .gmt
        let today = Self.day(of: now, in: zone)
        monday = TrainingHistory.monday(of: today)
        days = Array(repeating: false, count: 7)
        start = TrainingReport.date(monday)
    }

    /// Adds a session's start; one in another week is ignored.
    mutating func add(sessionStart time: Timestamp) {
        let index = Self.day(of: time, in: zone) - monday
        if days.indices.contains(index) { days[index] = true }
    }

    /// Whether a session that began at any of these times would change nothing.
    func knows(_ times: ClosedRange<Timestamp>) -> Bool {
        let first = Self.day(of: times.lowerBound, in: zone) - monday
        let last = Self.day(of: times.upperBound, in: zone) - monday
        return days.indices.allSatisfy { $0 < first || $0 > last || days[$0] }
    }

    private static func day(of time: Timestamp, in zone: TimeZone) -> Int {
        let date = Date(timeIntervalSince1970: time.secondsSince1970)
        return TrainingHistory.day(of: time, offset: zone.secondsFromGMT(for: date))
    }
}
