public import SensorModel

/// The beginning of a session's ID, as typed by a person.
public struct SessionPrefix: Hashable, Sendable {
    /// Shorter prefixes would be guesses.
    public static let digitsMin = 4
    package static let allowed = "a session's ID, its first \(digitsMin) digits or more, or latest"

    private let digits: Int
    private let high: UInt64
    private let low: UInt64

    /// `nil` for any other text.
    ///
    /// - Parameter text: 4 to 32 hexadecimal digits, any case, hyphens at the places of a UUID.
    public init?(_ text: some StringProtocol) {
        var (high, low, digits) = (UInt64(0), UInt64(0), 0)
        for (place, character) in text.enumerated() {
            if character == "-" {
                guard [8, 13, 18, 23].contains(place) else { return nil }
                continue
            }
            guard character.isASCII, let digit = character.hexDigitValue, digits < 32 else {
                return nil
            }
            let shift = UInt64(60 - 4 * (digits % 16))
            if digits < 16 { high |= UInt64(digit) << shift } else { low |= UInt64(digit) << shift }
            digits += 1
        }
        guard digits >= Self.digitsMin else { return nil }
        (self.high, self.low, self.digits) = (high, low, digits)
    }

    public func matches(_ session: SessionID) -> Bool {
        session.high & Self.mask(digits) == high && session.low & Self.mask(digits - 16) == low
    }

    /// The first ID that begins with it.
    var lowest: SessionID { SessionID(high: high, low: low) }

    /// The last ID that begins with it.
    var highest: SessionID {
        SessionID(high: high | ~Self.mask(digits), low: low | ~Self.mask(digits - 16))
    }

    /// Bit mask of the first `digits` of 16 digits.
    private static func mask(_ digits: Int) -> UInt64 {
        digits <= 0 ? 0 : ~0 << UInt64(64 - 4 * Swift.min(16, digits))
    }
}
