import Foundation
import Processing
import SensorModel

/// Days of the current week on which a runner trained, by the runner's local clock. A day ends at 3
/// in the morning.
struct TrainingWeek: Encodable, Hashable, Sendable {
    /// Monday of the week, as `2026-11-16`.
    let start: String
    /// Training days, Monday to Sunday.
    let days: [Bool]

    /// - Parameters:
    ///   - starts: Start times of sessions; those of other weeks are ignored.
    ///   - now: A time in this week.
    ///   - timeZone: An IANA name; an unknown one counts as UTC.
    init(sessionStarts starts: [Timestamp], at now: Timestamp, timeZone: String) {
        let zone = TimeZone(identifier: timeZone) ?? .gmt
        let day = { (time: Timestamp) -> Int in
            let date = Date(timeIntervalSince1970: time.secondsSince1970)
            return TrainingHistory.day(of: time, offset: zone.secondsFromGMT(for: date))
        }
        let today = day(now)
        // The first day of 1970 was a Thursday.
        let monday = today - ((today + 3) % 7 + 7) % 7
        let trained = Set(starts.map(day))
        days = (0..<7).map { trained.contains(monday + $0) }
        start = Date(timeIntervalSince1970: Double(monday) * 86_400)
            .formatted(.iso8601.year().month().day())
    }
}
