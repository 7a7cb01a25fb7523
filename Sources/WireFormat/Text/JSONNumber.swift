/// A number as it stands in JSON: ±digits × 10^exponent, and where it stood.
struct JSONNumber {
    var negative = false
    /// The first 19 significant digits.
    var digits: UInt64 = 0
    /// Of ten.
    var exponent = 0
    /// More than 19 digits, of which some are not in ``digits``.
    var truncated = false
    var start = 0
    var end = 0

    /// Powers of five that 64 bits hold.
    private static let fives: [UInt64] = {
        var powers: [UInt64] = [1]
        while powers.count <= 27 { powers.append(powers[powers.count - 1] * 5) }
        return powers
    }()

    /// The nearest Double, ties to even; infinite when it is too large for one.
    ///
    /// Most numbers of a watch are exact in one division. Those with up to 19 digits (a Double
    /// printed in full has 17) take one wide division; the rest go the slow way of the library.
    func value(in text: Span<UInt8>) -> Double {
        if digits == 0, !truncated { return negative ? -0.0 : 0 }
        let magnitude: Double
        if digits < 1 << 53, !truncated, exponent <= 0, exponent >= -22 {
            magnitude = Double(digits) / Self.power(of: -exponent)
        } else if !truncated, exponent >= -27, exponent <= 0 {
            magnitude = Self.quotient(digits, fives[-exponent], twos: exponent)
        } else if !truncated, exponent > 0, exponent <= 27 {
            magnitude = Self.product(digits, fives[exponent], twos: exponent)
        } else {
            magnitude = slowMagnitude(in: text)
        }
        return negative ? -magnitude : magnitude
    }

    @inline(__always)
    private var fives: [UInt64] { Self.fives }

    /// 10^n for 0…22, each an exact Double.
    @inline(__always)
    private static func power(of exponent: Int) -> Double {
        switch exponent {
        case 0: 1
        case 1: 1e1
        case 2: 1e2
        case 3: 1e3
        case 4: 1e4
        case 5: 1e5
        case 6: 1e6
        case 7: 1e7
        case 8: 1e8
        case 9: 1e9
        case 10: 1e10
        case 11: 1e11
        case 12: 1e12
        case 13: 1e13
        case 14: 1e14
        case 15: 1e15
        case 16: 1e16
        case 17: 1e17
        case 18: 1e18
        case 19: 1e19
        case 20: 1e20
        case 21: 1e21
        default: 1e22
        }
    }

    /// digits / five × 2^twos, correctly rounded. The 64-bit quotient of both, moved to the top of
    /// their words, has at least 63 bits; a remainder decides what lies exactly between.
    private static func quotient(_ digits: UInt64, _ five: UInt64, twos: Int) -> Double {
        let digitsShift = digits.leadingZeroBitCount
        let fiveShift = five.leadingZeroBitCount
        let numerator = digits << digitsShift
        let divisor = five << fiveShift
        // Half the numerator is below the divisor, as dividing full width needs.
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

    /// word × 2^twos to 53 bits, ties to even; `sticky`: a little more than `word`. The exponents
    /// here are far from where a Double ends or loses bits.
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
