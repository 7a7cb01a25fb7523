import Bytes

/// The UUID a device chose for one recording.
public struct SessionID: Hashable, Comparable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter text: 32 hexadecimal digits, any case, in groups of 8-4-4-4-12.
    /// `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
            if index < 18 {
                high = high << 4 | UInt64(digit)
            } else {
                low = low << 4 | UInt64(digit)
            }
        }
        self.init(high: high, low: low)
    }

    /// Makes a random (version 4) identifier.
    public init(using generator: inout some RandomNumberGenerator) {
        let high = UInt64.random(in: .min ... .max, using: &generator)
        let low = UInt64.random(in: .min ... .max, using: &generator)
        self.init(
            high: high & ~0xF000 | 0x4000,
            low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// Makes an identifier of a session that is imported from a file.
    public static func imported(using generator: inout some RandomNumberGenerator) -> SessionID {
        let id = SessionID(using: &generator)
        return SessionID(high: id.high & ~0xFFFF | importedBits, low: id.low)
    }

    /// Whether the session was imported from a file. No share shows it: a link must not open years
    /// of imported runs.
    public var isImported: Bool { high & 0xFFFF == Self.importedBits }

    /// Version 8, with the highest value of the twelve bits that follow the version.
    private static let importedBits: UInt64 = 0x8FFF

    public static func < (left: SessionID, right: SessionID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension SessionID: CustomStringConvertible {
    /// Lower case, 8-4-4-4-12.
    public var description: String {
        let digits = Hexadecimal.text(of: high) + Hexadecimal.text(of: low)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append("-") }
            text.append(digit)
        }
        return text
    }
}
