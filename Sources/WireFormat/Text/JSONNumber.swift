/// A number in JSON: ±digits × 10^exponent, and its position.
struct JSONNumber {
    var negative = false
    /// The first 18 or 19 significant digits, less than 2^63.
    var digits: UInt64 = 0
    /// Exponent of ten.
    var exponent = 0
    /// Whether the number has more digits than ``digits`` holds.
    var truncated = false
    var start = 0
    var end = 0

    /// Powers of five that fit 64 bits.
    private static let fives: [UInt64] = {
        var powers: [UInt64] = [1]
        while powers.count <= 27 { powers.append(powers[powers.count - 1] * 5) }
        return powers
    }()

    /// The nearest Double, ties to even; infinite when it is too large for one.
    ///
    /// One division is exact for most numbers of a watch. Numbers of up to 18 digits (a full Double
    /// has 17) need one wide division. The rest use the slower standard library.
    @inline(__always)
    func value(in text: Span<UInt8>) -> Double {
        if digits < 1 << 53, exponent <= 0, exponent >= -22, !truncated {
            let magnitude = Double(Int64(bitPattern: digits)) / Self.powers[-exponent]
            return negative ? -magnitude : magnitude
        }
        return longValue(in: text)
    }

    private func longValue(in text: Span<UInt8>) -> Double {
        if digits == 0, !truncated { return negative ? -0.0 : 0 }
        let magnitude: Double
        if !truncated, exponent >= -27, exponent <= 0 {
            magnitude = Self.quotient(digits, Self.fives[-exponent], twos: exponent)
        } else if !truncated, exponent > 0, exponent <= 27 {
            magnitude = Self.product(digits, Self.fives[exponent], twos: exponent)
        } else {
            magnitude = slowMagnitude(in: text)
        }
        return negative ? -magnitude : magnitude
    }

    /// 10^n for 0…22, each an exact Double.
    private static let powers: InlineArray<23, Double> = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// digits / five × 2^twos, correctly rounded.
    ///
    /// Both are shifted to the top of their words, so that the quotient has at least 63 bits. The
    /// remainder decides a tie.
    private static func quotient(_ digits: UInt64, _ five: UInt64, twos: Int) -> Double {
        let digitsShift = digits.leadingZeroBitCount
        let fiveShift = five.leadingZeroBitCount
        let numerator = digits << digitsShift
        let divisor = five << fiveShift
        // Half the numerator is below the divisor, as a full-width division requires.
        let (quotient, remainder) = divisor.dividingFullWidth(
            (high: numerator >> 1, low: numerator << 63))
        return rounded(
            quotient, sticky: remainder != 0, twos: twos + fiveShift - digitsShift - 63)
    }

    /// digits × five × 2^twos, correctly rounded.
    private static func product(_ digits: UInt64, _ five: UInt64, twos: Int) -> Double {
        let (high, low) = digits.multipliedFullWidth(by: five)
        guard high != 0 else { return rounded(low, sticky: false, twos: twos) }
        let shift = high.leadingZeroBitCount
        let top = shift == 0 ? high : high << shift | low >> (64 - shift)
        let rest = shift == 0 ? low : low << shift
        return rounded(top, sticky: rest != 0, twos: twos + 64 - shift)
    }

    /// word × 2^twos, rounded to 53 bits with ties to even; `sticky`: the value is slightly above
    /// `word`. The exponents here are far from the limits of a Double.
    private static func rounded(_ word: UInt64, sticky: Bool, twos: Int) -> Double {
        let shift = word.leadingZeroBitCount
        let top = word << shift
        let kept = top >> 11
        let dropped = top & 0x7FF
        let half: UInt64 = 0x400
        let up = dropped > half || (dropped == half && (sticky || kept & 1 == 1))
        let scale = Double(sign: .plus, exponent: twos - shift + 11, significand: 1)
        return Double(up ? kept + 1 : kept) * scale
    }

    private func slowMagnitude(in text: Span<UInt8>) -> Double {
        var characters: [UInt8] = []
        for position in (negative ? start + 1 : start)..<end { characters.append(text[position]) }
        return Double(String(decoding: characters, as: UTF8.self)) ?? .infinity
    }
}
