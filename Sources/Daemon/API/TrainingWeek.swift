import Foundation
import Processing
import SensorModel

/// On which days of the current week a runner trained, by the runner's own clock: a day ends at 3
/// in the morning.
struct TrainingWeek: Encodable, Hashable, Sendable {
    /// Its Monday, as `2026-11-16`.
    let start: String
    /// Monday to Sunday.
    let days: [Bool]

    /// - Parameters:
    ///   - starts: When sessions began; those of other weeks are passed over.
    ///   - now: In this week.
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
