import SensorModel

/// ISO 8601 in UTC, whole seconds: `2026-03-01T07:30:00Z`.
enum CivilTime {
    static func text(_ time: Timestamp) -> String {
        let seconds = time.wholeSecond.microseconds / 1_000_000
        let secondOfDay = Int(((seconds % 86_400) + 86_400) % 86_400)
        let (year, month, day) = date(daysSince1970: (seconds - Int64(secondOfDay)) / 86_400)
        let clock = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60]
        let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
        return "\(date)T\(clock.map { digits($0, 2) }.joined(separator: ":"))Z"
    }

    /// Years are counted from March, so that the leap day is the last of its year.
    private static func date(daysSince1970 days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = Int(days) + 719_468  // days from 0000-03-01
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func digits(_ value: Int, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
