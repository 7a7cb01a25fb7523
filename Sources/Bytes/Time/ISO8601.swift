/// Dates such as `2025-11-21T09:30:00Z`, with an optional fraction of a second and UTC offset.
///
/// Strict, for devices: ``LooseISO8601`` reads the forms of other programs.
package enum ISO8601 {
    /// - Returns: Microseconds since 1970; `nil` for an invalid date, and for a date without an
    ///   offset, whose zone is unknown.
    package static func microseconds(_ text: Span<UInt8>) -> Int64? {
        guard text.count >= 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] | 0x20 == UInt8(ascii: "t") || text[10] == UInt8(ascii: " "),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let year = digits(text, 0, 4), let month = digits(text, 5, 2),
            let day = digits(text, 8, 2), let hour = digits(text, 11, 2),
            let minute = digits(text, 14, 2), let second = digits(text, 17, 2),
            let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day)),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var position = 19
        let microseconds = fraction(text, &position)
        guard let offset = offsetSeconds(text, position) else { return nil }
        let secondOfDay = Int64(hour * 3600 + minute * 60 + second)
        return (date.daysSince1970 * 86_400 + secondOfDay - offset) * 1_000_000 + microseconds
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

    /// Reads `.123` or `,123`; drops digits after the sixth.
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

    /// Reads `Z`, `±hh`, `±hhmm` or `±hh:mm` at the end of the text.
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

    /// - Parameters:
    ///   - microseconds: Microseconds since 1970, from year 0 to 9999; others are clamped.
    ///   - decimals: Decimals of the second, 0…6. Finer digits are cut, never rounded up.
    ///   - bytes: Grows by text such as `2025-12-12T09:00:00.000Z`.
    package static func append(
        microseconds: Int64, decimals: Int, to bytes: inout [UInt8]
    ) {
        let remainder = microseconds % 1_000_000
        let fraction = remainder < 0 ? remainder + 1_000_000 : remainder
        let wholeSecond = (microseconds - fraction) / 1_000_000
        let seconds = min(max(wholeSecond, -62_167_219_200), 253_402_300_799)
        var days = seconds / 86_400
        if seconds % 86_400 < 0 { days -= 1 }
        let date = CivilDate(daysSince1970: days)
        let secondOfDay = UInt64(seconds - days * 86_400)
        FixedDecimal.append(UInt64(date.year), minimumDigits: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        FixedDecimal.append(UInt64(date.month), minimumDigits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        FixedDecimal.append(UInt64(date.day), minimumDigits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "T"))
        FixedDecimal.append(secondOfDay / 3600, minimumDigits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        FixedDecimal.append(secondOfDay / 60 % 60, minimumDigits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        FixedDecimal.append(secondOfDay % 60, minimumDigits: 2, to: &bytes)
        if decimals > 0 {
            var digits = UInt64(fraction)
            for _ in decimals..<6 { digits /= 10 }
            bytes.append(UInt8(ascii: "."))
            FixedDecimal.append(digits, minimumDigits: decimals, to: &bytes)
        }
        bytes.append(UInt8(ascii: "Z"))
    }
}
