import SensorModel

/// Dates as other programs write them (ISO 8601), in the Gregorian calendar and UTC.
enum ISOTime {
    /// Takes `2015-10-01T08:00:00-0700`, `…Z`, `…+02:00`, `….123456Z`, a space for the `T`, and
    /// no zone at all (then UTC).
    ///
    /// - Returns: `nil` for any other text and for dates that do not exist.
    static func parse(_ text: some StringProtocol) -> Timestamp? {
        parse(bytes: Array(text.utf8))
    }

    static func parse(bytes: [UInt8]) -> Timestamp? {
        let trimmed = NumberText.trimmed(bytes.span, 0..<bytes.count)
        var reader = DigitReader(Array(bytes[trimmed]))
        guard let year = reader.number(digits: 4), reader.take(UInt8(ascii: "-")),
            let month = reader.number(digits: 2), reader.take(UInt8(ascii: "-")),
            let day = reader.number(digits: 2),
            (1...12).contains(month), day >= 1, day <= daysInMonth(month, year: year)
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        guard !reader.isAtEnd else {
            return Timestamp(microseconds: days * 86_400_000_000)
        }
        guard let time = timeOfDay(&reader) else { return nil }
        return Timestamp(microseconds: days * 86_400_000_000 + time)
    }

    /// - Returns: Microseconds since midnight UTC; below 0 or above a day where the zone says so.
    private static func timeOfDay(_ reader: inout DigitReader) -> Int64? {
        let separated =
            reader.take(UInt8(ascii: "T")) || reader.take(UInt8(ascii: "t"))
            || reader.take(UInt8(ascii: " "))
        guard separated, let hour = reader.number(digits: 2), hour < 24,
            reader.take(UInt8(ascii: ":")), let minute = reader.number(digits: 2), minute < 60
        else { return nil }
        var second: Int64 = 0
        var fraction: Int64 = 0
        if reader.take(UInt8(ascii: ":")) {
            // A leap second is the first moment of the next minute.
            guard let value = reader.number(digits: 2), value <= 60,
                let parts = reader.fraction()
            else { return nil }
            second = value
            fraction = parts
        }
        guard let offset = reader.zoneSeconds(), reader.isAtEnd else { return nil }
        return (hour * 3600 + minute * 60 + second - offset) * 1_000_000 + fraction
    }

    /// - Parameters:
    ///   - time: From year 0 to 9999; others are clamped.
    ///   - decimals: Of the second, 0…6; what is finer is cut, never rounded into another second.
    ///   - bytes: Grows by `2025-12-12T09:00:00.000Z`.
    static func append(_ time: Timestamp, decimals: Int, to bytes: inout [UInt8]) {
        let whole = time.wholeSecond
        let seconds = min(max(whole.microseconds / 1_000_000, -62_167_219_200), 253_402_300_799)
        var days = seconds / 86_400
        if seconds % 86_400 < 0 { days -= 1 }
        let date = civil(daysSince1970: days)
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
            var fraction = UInt64(time.microseconds - whole.microseconds)
            for _ in decimals..<6 { fraction /= 10 }
            bytes.append(UInt8(ascii: "."))
            FixedDecimal.append(fraction, minimumDigits: decimals, to: &bytes)
        }
        bytes.append(UInt8(ascii: "Z"))
    }

    static func text(_ time: Timestamp, decimals: Int) -> String {
        var bytes: [UInt8] = []
        append(time, decimals: decimals, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Years of 400 make the calendar repeat; counting from March puts the leap day last.
    static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    static func civil(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func daysInMonth(_ month: Int64, year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}

/// A walk over the digits of one date.
private struct DigitReader {
    let bytes: [UInt8]
    var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    mutating func number(digits: Int) -> Int64? {
        guard bytes.count - index >= digits else { return nil }
        var value: Int64 = 0
        for byte in bytes[index..<index + digits] {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        index += digits
        return value
    }

    /// - Returns: Microseconds, 0 where there is no fraction; `nil` for a point without digits.
    mutating func fraction() -> Int64? {
        guard take(UInt8(ascii: ".")) || take(UInt8(ascii: ",")) else { return 0 }
        var value: Int64 = 0
        var digits = 0
        while let digit = number(digits: 1) {
            if digits < 6 { value = value * 10 + digit }
            digits += 1
        }
        guard digits > 0 else { return nil }
        for _ in min(digits, 6)..<6 { value *= 10 }
        return value
    }

    /// - Returns: Seconds east of Greenwich; 0 where no zone is given; `nil` for no zone's text.
    mutating func zoneSeconds() -> Int64? {
        if isAtEnd || take(UInt8(ascii: "Z")) || take(UInt8(ascii: "z")) { return 0 }
        let west = take(UInt8(ascii: "-"))
        guard west || take(UInt8(ascii: "+")), let hours = number(digits: 2), hours <= 18 else {
            return nil
        }
        var minutes: Int64 = 0
        if !isAtEnd {
            _ = take(UInt8(ascii: ":"))
            guard let value = number(digits: 2), value < 60 else { return nil }
            minutes = value
        }
        let seconds = hours * 3600 + minutes * 60
        return west ? -seconds : seconds
    }
}
