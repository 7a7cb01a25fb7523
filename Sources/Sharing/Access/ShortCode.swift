/// Six letters and digits to read aloud, without those that look alike: 887,503,681 codes, each
/// valid for one use and a few minutes.
public struct ShortCode: Hashable, Sendable {
    public static let characterCount = 6
    public static let alphabet = Array("ABCDEFGHJKMNPQRSTUVWXYZ23456789".utf8)

    /// Upper-case letters and digits.
    public let text: String

    public init(using generator: inout some RandomNumberGenerator) {
        let characters = (0..<Self.characterCount).map { _ in
            Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &generator)]
        }
        text = String(decoding: characters, as: UTF8.self)
    }

    /// - Parameter typed: Text in any case, with spaces and hyphens anywhere. `nil` if it is no
    ///   code.
    public init?(_ typed: some StringProtocol) {
        guard typed.utf8.count <= 32, typed.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let characters = typed.uppercased().utf8.filter {
            $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-")
        }
        guard characters.count == Self.characterCount,
            characters.allSatisfy({ Self.alphabet.contains($0) })
        else { return nil }
        text = String(decoding: characters, as: UTF8.self)
    }
}
