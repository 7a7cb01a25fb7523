/// The secret that lets its holder watch a share: 128 random bits, 22 characters of base64url.
///
/// It has no `description`, so that it cannot slip into a log line. Use ``text`` to show it.
public struct ShareID: Hashable, Sendable {
    public static let characterCount = 22
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private let high: UInt64
    private let low: UInt64

    public init(using generator: inout some RandomNumberGenerator) {
        var high: UInt64
        // A text that begins with a hyphen would be read as an option by the commands.
        repeat { high = UInt64.random(in: .min ... .max, using: &generator) } while high >> 58 == 62
        self.high = high
        low = UInt64.random(in: .min ... .max, using: &generator)
    }

    /// Returns `nil` unless `text` is exactly the ``text`` of some share.
    public init?(_ text: some StringProtocol) {
        let characters = Array(text.utf8)
        guard characters.count == Self.characterCount else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for (index, character) in characters.enumerated() {
            guard let value = Self.value(of: character) else { return nil }
            // 22 characters hold 132 bits: the last four must be zero, or two texts would name one
            // ID.
            if index == Self.characterCount - 1, value & 0x0F != 0 { return nil }
            let bits = index == Self.characterCount - 1 ? 2 : 6
            let digit = UInt64(index == Self.characterCount - 1 ? value >> 4 : value)
            high = high << UInt64(bits) | low >> UInt64(64 - bits)
            low = low << UInt64(bits) | digit
        }
        self.high = high
        self.low = low
    }

    public var text: String {
        var characters: [UInt8] = []
        var position = 128
        while position > 0 {
            let bits = Swift.min(6, position)
            let digit = bitField(from: position - bits, count: bits) << UInt64(6 - bits)
            characters.append(Self.alphabet[Int(digit)])
            position -= bits
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// The 16 bytes to hash or encrypt, most significant first.
    public var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: bitField(from: 120 - 8 * $0, count: 8)) }
    }

    private func bitField(from lowest: Int, count: Int) -> UInt64 {
        let mask = UInt64(1) << UInt64(count) - 1
        if lowest >= 64 { return high >> UInt64(lowest - 64) & mask }
        if lowest + count <= 64 { return low >> UInt64(lowest) & mask }
        return (low >> UInt64(lowest) | high << UInt64(64 - lowest)) & mask
    }

    private static func value(of character: UInt8) -> Int? {
        alphabet.firstIndex(of: character)
    }
}
