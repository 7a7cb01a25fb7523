import Bytes
import Foundation
import SegmentLog
package import SensorModel

/// What an owner looks for in a list of sessions.
///
/// A session is found by its name or its notes, whatever their case, or by the day on which it
/// started, by the runner's own clock, if the text is the beginning of a date such as `2026-11`.
package struct SessionSearch: Sendable {
    private let words: CaselessSearch
    /// Times of the date in each device's time zone; empty if the text is no date.
    private var times: [DeviceID: Range<Timestamp>] = [:]
    private var timesElsewhere: Range<Timestamp>?

    /// - Parameters:
    ///   - text: Sought text, composed.
    ///   - timeZones: Name of each device's time zone. UTC is used for other devices.
    package init(_ text: String, timeZones: [DeviceID: String]) {
        words = CaselessSearch(text)
        guard let days = SearchedDays(text) else { return }
        var byZone: [String: Range<Timestamp>] = [:]
        for (device, zone) in timeZones {
            let times = byZone[zone] ?? days.times(in: TimeZone(identifier: zone) ?? .gmt)
            byZone[zone] = times
            self.times[device] = times
        }
        timesElsewhere = days.times(in: .gmt)
    }

    func isFound(in text: String) -> Bool { words.isFound(in: text) }

    /// Whether a session started on one of the days.
    func isFound(_ summary: SessionSummary) -> Bool {
        guard let times = times[summary.device] ?? timesElsewhere else { return false }
        return times.contains(summary.startTime)
    }
}

/// The days whose dates begin with a text: `2026`, `2026-1` (October to December), `2026-11-21`.
struct SearchedDays: Hashable, Sendable {
    struct Day: Hashable, Sendable {
        let year: Int
        let month: Int
        let day: Int
    }

    let first: Day
    let last: Day

    /// - Returns: `nil` if the text is not the beginning of a date with the whole year.
    init?(_ text: String) {
        guard text.utf8.count <= "2026-11-21".utf8.count,
            let match = text.wholeMatch(of: #/([0-9]{4})(?:-([0-9]{0,2})(?:-([0-9]{0,2}))?)?/#),
            let year = Int(match.1), year > 0
        else { return nil }
        let months = Self.numbers(match.2 ?? "", in: 1...12)
        // A day follows a whole month only.
        guard let months, match.3 == nil || match.2?.count == 2 else { return nil }
        let lengths = months.map { Self.days(of: $0, in: year) }
        guard let length = lengths.last,
            let days = Self.numbers(match.3 ?? "", in: 1...length)
        else { return nil }
        let isPart = match.3.map { !$0.isEmpty } ?? false
        first = Day(year: year, month: months.lowerBound, day: isPart ? days.lowerBound : 1)
        last = Day(year: year, month: months.upperBound, day: isPart ? days.upperBound : length)
    }

    /// Numbers of two digits in a range that begin with some digits; `nil`: none.
    private static func numbers(
        _ digits: Substring, in range: ClosedRange<Int>
    ) -> ClosedRange<Int>? {
        let found = range.filter { ($0 < 10 ? "0\($0)" : "\($0)").hasPrefix(digits) }
        guard let first = found.first, let last = found.last else { return nil }
        return first...last
    }

    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// From the beginning of the first day to the end of the last.
    func times(in zone: TimeZone) -> Range<Timestamp>? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        func midnight(_ day: Day, plus days: Int) -> Timestamp? {
            let parts = DateComponents(year: day.year, month: day.month, day: day.day + days)
            return calendar.date(from: parts).flatMap {
                Timestamp(secondsSince1970: $0.timeIntervalSince1970)
            }
        }
        guard let start = midnight(first, plus: 0), let end = midnight(last, plus: 1), start < end
        else { return nil }
        return start..<end
    }
}
