import SensorModel

/// `2025-11-21T09:30:00Z`, with a fraction of a second and an offset from UTC where wanted.
enum ISO8601 {
    /// - Returns: `nil` for what is no date, or one without an offset: whose noon is not said.
    static func timestamp(_ text: Span<UInt8>) -> Timestamp? {
        guard text.count >= 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] | 0x20 == UInt8(ascii: "t") || text[10] == UInt8(ascii: " "),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let year = digits(text, 0, 4), let month = digits(text, 5, 2),
            let day = digits(text, 8, 2), let hour = digits(text, 11, 2),
            let minute = digits(text, 14, 2), let second = digits(text, 17, 2),
            (1...12).contains(month), day >= 1, day <= daysOfMonth(year, month),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var position = 19
        let microseconds = fraction(text, &position)
        guard let offset = offsetSeconds(text, position) else { return nil }
        let days = daysSince1970(year, month, day)
        let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second) - offset
        return Timestamp(microseconds: seconds * 1_000_000 + microseconds)
    }

    private static func digits(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> Int? {
        guard start + count <= text.count else { return nil }
        var value = 0
        for position in start..<(start + count) {
            let digit = text[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }

    /// Moves behind `.123` or `,123`; digits past the sixth are dropped.
    private static func fraction(_ text: Span<UInt8>, _ position: inout Int) -> Int64 {
        guard text[position] == UInt8(ascii: ".") || text[position] == UInt8(ascii: ",") else {
            return 0
        }
        position += 1
        var value: Int64 = 0
        var unit: Int64 = 100_000
        while position < text.count, text[position] &- UInt8(ascii: "0") < 10 {
            value += Int64(text[position] &- UInt8(ascii: "0")) * unit
            unit /= 10
            position += 1
        }
        return value
    }

    /// `Z`, `±hh`, `±hhmm` or `±hh:mm`, and nothing behind it.
    private static func offsetSeconds(_ text: Span<UInt8>, _ start: Int) -> Int64? {
        guard start < text.count else { return nil }
        let sign = text[start]
        if sign | 0x20 == UInt8(ascii: "z") { return start + 1 == text.count ? 0 : nil }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            let hours = digits(text, start + 1, 2), hours < 24
        else { return nil }
        var rest = start + 3
        if rest < text.count, text[rest] == UInt8(ascii: ":") { rest += 1 }
        var minutes = 0
        if rest < text.count {
            guard let found = digits(text, rest, 2), found < 60 else { return nil }
            minutes = found
            rest += 2
        }
        guard rest == text.count else { return nil }
        let seconds = Int64(hours * 3600 + minutes * 60)
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }

    private static func daysOfMonth(_ year: Int, _ month: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Of the Gregorian calendar. Years are counted from March, so that a leap day comes last.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let marchYear = month > 2 ? year : year - 1
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }
}
