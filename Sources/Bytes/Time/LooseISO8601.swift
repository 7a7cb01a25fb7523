/// Dates in the forms of other programs, in the Gregorian calendar and UTC; unlike in ``ISO8601``,
/// the zone and the seconds may be missing.
package enum LooseISO8601 {
    /// Reads `2015-10-01T08:00:00-0700`, `…Z`, `…+02:00`, `….123456Z`, a space for the `T`, and
    /// dates without a zone (as UTC).
    ///
    /// - Returns: Microseconds since 1970; `nil` for any other text and for dates that do not
    ///   exist.
    package static func microseconds(_ bytes: [UInt8]) -> Int64? {
        let trimmed = NumberText.trimmed(bytes.span, 0..<bytes.count)
        var reader = DigitReader(Array(bytes[trimmed]))
        guard let year = reader.number(digits: 4), reader.take(UInt8(ascii: "-")),
            let month = reader.number(digits: 2), reader.take(UInt8(ascii: "-")),
            let day = reader.number(digits: 2),
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        let midnight = date.daysSince1970 * 86_400_000_000
        guard !reader.isAtEnd else { return midnight }
        guard let time = timeOfDay(&reader) else { return nil }
        return midnight + time
    }

    /// - Returns: Microseconds since midnight UTC; the zone can make it negative or above a day.
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
            // A leap second counts as the first moment of the next minute.
            guard let value = reader.number(digits: 2), value <= 60,
                let parts = reader.fraction()
            else { return nil }
            second = value
            fraction = parts
        }
        guard let offset = reader.zoneSeconds(), reader.isAtEnd else { return nil }
        return (hour * 3600 + minute * 60 + second - offset) * 1_000_000 + fraction
    }
}

/// A cursor over the digits of one date.
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

    /// - Returns: Microseconds, 0 without a fraction; `nil` for a point without digits.
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

    /// - Returns: Seconds east of Greenwich; 0 without a zone; `nil` for an invalid one.
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
