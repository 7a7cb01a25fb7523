/// Decimal numbers written by other programs, read from bytes without strings.
package enum NumberText {
    /// 10^0…10^22, all exact in a Double.
    private static let powersOfTen: [Double] = {
        var powers = [1.0]
        for _ in 1...22 { powers.append((powers.last ?? 1) * 10) }
        return powers
    }()

    /// The number that is the whole of `bytes[range]`, apart from spaces around it.
    ///
    /// The result is correctly rounded. One exact division suffices for mantissas below 2^53; the
    /// standard library reads the rest.
    ///
    /// - Returns: `nil` for an empty or other text, and for values that are not finite.
    package static func double(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Double? {
        let range = trimmed(bytes, range)
        var index = range.lowerBound
        guard index < range.upperBound else { return nil }
        let negative = bytes[index] == UInt8(ascii: "-")
        if negative || bytes[index] == UInt8(ascii: "+") { index += 1 }
        var mantissa: UInt64 = 0
        var digits = 0
        var decimals = 0
        var pointSeen = false
        while index < range.upperBound {
            let digit = bytes[index] &- 0x30
            if digit < 10 {
                digits += 1
                guard digits <= 18 else { return slowDouble(bytes, range) }
                mantissa = mantissa &* 10 &+ UInt64(digit)
                if pointSeen { decimals += 1 }
            } else if bytes[index] == UInt8(ascii: "."), !pointSeen {
                pointSeen = true
            } else {
                return slowDouble(bytes, range)
            }
            index += 1
        }
        guard digits > 0 else { return nil }
        guard mantissa < 1 << 53 else { return slowDouble(bytes, range) }
        let value = Double(mantissa) / powersOfTen[decimals]
        return negative ? -value : value
    }

    @inlinable
    package static func double(_ text: some StringProtocol) -> Double? {
        let bytes = Array(text.utf8)
        return double(bytes.span, 0..<bytes.count)
    }

    /// - Returns: `nil` for anything except an optional sign and at most 18 digits.
    package static func integer(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int64? {
        var index = range.lowerBound
        guard index < range.upperBound else { return nil }
        let negative = bytes[index] == UInt8(ascii: "-")
        if negative { index += 1 }
        guard index < range.upperBound, range.upperBound - index <= 18 else { return nil }
        var value: Int64 = 0
        while index < range.upperBound {
            let digit = bytes[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
            index += 1
        }
        return negative ? -value : value
    }

    package static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, bytes[lower] <= 0x20 { lower += 1 }
        while upper > lower, bytes[upper - 1] <= 0x20 { upper -= 1 }
        return lower..<upper
    }

    /// Reads exponents and long fractions, which are rare, so a string is acceptable. "inf", "nan"
    /// and hexadecimal forms, which the standard library accepts, are refused.
    private static func slowDouble(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Double? {
        guard range.count <= 64 else { return nil }
        var text = ""
        for index in range {
            let byte = bytes[index]
            switch byte {
            case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                text.unicodeScalars.append(UnicodeScalar(byte))
            default:
                return nil
            }
        }
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }
}
